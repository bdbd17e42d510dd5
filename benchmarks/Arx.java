import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/** ARX on Adult, with its own hierarchies: FOLDER n k local|global COLUMN... ; the released rows go to standard output. */
public class Arx {
    public static void main(String[] args) throws Exception {
        String folder = args[0];
        int n = Integer.parseInt(args[1]);
        int k = Integer.parseInt(args[2]);
        boolean local = args[3].equals("local");
        int rounds = 100;
        Data data = Data.create(folder + "/adult.csv", StandardCharsets.UTF_8, ';');
        DataHandle input = data.getHandle();
        for (int c = 0; c < input.getNumColumns(); c++) {
            data.getDefinition().setAttributeType(input.getAttributeName(c), AttributeType.INSENSITIVE_ATTRIBUTE);
        }
        for (int i = 4; i < args.length; i++) {
            File file = new File(folder + "/adult_hierarchy_" + args[i] + ".csv");
            data.getDefinition().setAttributeType(args[i], Hierarchy.create(file, StandardCharsets.UTF_8, ';'));
        }
        ARXConfiguration asked = ARXConfiguration.create(local ? 1d - 1d / rounds : 1d - 1e-9);
        asked.addPrivacyModel(new KAnonymity(n));
        if (k > 1) {
            data.getDefinition().setAttributeType("occupation", AttributeType.SENSITIVE_ATTRIBUTE);
            asked.addPrivacyModel(new DistinctLDiversity("occupation", k));
        }
        asked.setQualityModel(local ? Metric.createLossMetric(0d) : Metric.createLossMetric());
        ARXResult result = new ARXAnonymizer().anonymize(data, asked);
        DataHandle output = result.getOutput();
        if (local) {
            result.optimizeIterativeFast(output, 1d / rounds);
        }
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < output.getNumRows(); row++) {
            text.append(output.isOutlier(row) ? 1 : 0);
            for (int i = 4; i < args.length; i++) {
                text.append(';').append(output.getValue(row, output.getColumnIndexOf(args[i])));
            }
            text.append('\n');
        }
        System.out.print(text);
    }
}
