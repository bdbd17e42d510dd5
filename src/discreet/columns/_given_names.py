"""Common given names, small and without accents, by which a column or a text is known to name people.

Left out are those that are words or places more often than names (Mark, Will, Rose, Jordan, Florence).
"""

from __future__ import annotations

GIVEN_NAMES = frozenset(
    """
    aaron abdul abdullah abigail adam adele adrian adriana agnes ahmad ahmed aisha alan albert alberto alejandra
    alejandro alessandra alessandro alexander alexandra alexandre alfred alfredo ali alice alicia alina alison allison
    amanda amelie amina amir amy ana anastasia andre andrea andreas andrei andres andrew angela angelika angelina anita
    anja ann anna annabelle anne anneliese annette annie anthony antje anton antonia antonio arnold arthur arturo astrid
    aylin ayse barbara bastian beate beatrice beatriz benjamin bernard bernd bernhard bettina bianca birgit bjorn bob
    boris brandon brenda brian brigitte bruno camila camille carla carlo carlos carmen carol caroline carolyn catherine
    cathy cecile cem chantal charles charlie chiara chloe christa christian christiane christina christine christoph
    christophe christopher cindy clara claudia claudio clemens connor cornelia craig cristina cynthia daniel daniela
    daniele danielle david deborah denise dennis diana diane dieter dimitri dirk dmitri dominik dominique donald donna
    doris dorothea dorothy douglas dylan edith edouard eduardo edward eileen elena eleonora elias elif elisa elisabeth
    elizabeth elke ellen emil emily emma emre enrico enrique eric erica erik erika erwin esther ethan eugene eva evelyn
    fabian fabio fatima fatma federica federico felipe felix ferdinand fernando filippo florian frances francesca
    francesco francisco francois francoise franz frederic frederik friederike friedrich fritz gabriel gabriela gabriele
    gary gemma georg george gerald gerard gerhard gertrud gianni gilbert giorgio giovanni giulia giuseppe gloria gordon
    greg gregor gregory greta guido guillaume guillermo gunter gunther gustav hanna hannah hannelore hannes hans harald
    harold harry hasan hassan hatice heather hector heidi heike heinrich heinz helen helena helga helmut hendrik henri
    henry herbert hermann hilde hildegard holger horst howard hubert hugo hussein ibrahim ida ignacio igor ilse imran
    ines inge ingeborg ingo ingrid irene irina irma isabel isabella isabelle ivan ivana jack jacob jacqueline jacques
    jakob james jan jana jane janet janina jason javier jean jeannette jeffrey jenna jennifer jens jeremy jerome jerry
    jessica jill joachim joan joanna joao joaquin jochen joel johan johann johanna johannes john johnny jonas jonathan
    jorg jorge jose josef josefine joseph josephine joshua juan juanita judith juergen julia julian juliane julie julien
    juliette julio jurgen justin jutta karen karin karina karl karla karolina katarina katharina katherine kathleen
    kathrin kathryn katja katrin keith kelly kenneth kerstin kevin khaled kimberly klara klaus konrad kristin kristina
    kurt kyle lars laura lauren laurent lea leila lena leon leonard leonardo leonie leopold leslie liam lilian liliana
    lina linda lisa lorenzo lothar louisa louise luca lucas lucia luciana lucie ludwig luigi luis luisa luise lukas
    lydia lynn madeleine magdalena malte manfred manuel manuela marc marcel marcela marcello marco marcus margaret
    margarete margarita margit maria mariana marianne marie marina mario marion marius marlene marlies marta martha
    martin martina mary massimo mateo matteo matthew matthias matthieu maurice mauro maximilian mehmet melanie melissa
    michael michaela michel michele michelle miguel mikael mikhail miriam mohamed mohammad mohammed monica monika
    monique moritz muhammad murat mustafa nadia nadine nadja nancy natalia natalie natascha nathalie nathan nicholas
    nick nico nicola nicolas nicole niklas nikolai nils nina noah noemi nora norbert olga oliver olivia olivier omar
    oscar oskar osman otto pablo pamela paola paolo pascal patricia patrick paul paula paulina pauline pedro peter petra
    philip philipp philippe pierre pietro pilar rachel rafael rainer ralf ralph ramon ramona raphael raul rebecca
    reinhard renate rene ricardo riccardo richard rita robert roberta roberto rodrigo roger roland rolf romain ronald
    rosalie rosemarie rosemary roswitha ruben rudiger rudolf russell ruth ryan sabine sabrina salvatore sam samantha
    samira samuel sandra sandro sara sarah sascha scott sean sebastian selma serena sergei sergey sergio sharon sheila
    shirley sibylle siegfried sigrid silke silvia simon simona simone sofie sonia sonja sophia sophie stefan stefania
    stefanie stella stephan stephane stephanie stephen steve steven stuart susan susana susanne suzanne sven svenja
    svetlana swantje sybille sylvia sylvie tamara tania tanja tatiana teresa thea theodor theresa therese thierry thomas
    thorsten tiffany tim timo timothy tina tobias tom tomas tommaso torsten tracy tristan udo ulrich ulrike ursula ute
    uwe valentin valentina valerie vanessa vera verena veronica veronika veronique vicente victor viktor viktoria
    vincent vincenzo viola virginie vito vladimir volker walter waltraud werner wilfried wilhelm wilhelmine william
    wolfgang xavier yannick yasmin yusuf yves yvonne zeynep zoe
    """.split()  # noqa: SIM905
)
