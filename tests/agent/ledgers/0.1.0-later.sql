BEGIN TRANSACTION;
CREATE TABLE discreet_analysts (
	name TEXT NOT NULL, 
	key_hash VARCHAR(64) NOT NULL, 
	budget DOUBLE NOT NULL, 
	revoked BOOLEAN NOT NULL, 
	PRIMARY KEY (name), 
	UNIQUE (key_hash)
);
INSERT INTO "discreet_analysts" VALUES('ann','d98db36f097dac62af2859999247e6da64109f17cfa07ff689b2fa2bb3bd6487',1000.0,0);
CREATE TABLE discreet_answers (
	book TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	analyst TEXT NOT NULL, 
	question TEXT NOT NULL, 
	cells INTEGER NOT NULL, 
	answer DOUBLE, 
	error DOUBLE, 
	low DOUBLE NOT NULL, 
	high DOUBLE NOT NULL, 
	record TEXT NOT NULL, 
	at VARCHAR(40) NOT NULL, 
	link VARCHAR(64) DEFAULT '' NOT NULL, 
	PRIMARY KEY (book, number), 
	UNIQUE (book, "key")
);
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',1,'2aa41e53bed287cca550a603654cd54784cd538da064896764a774d54a9b95ff','ann','{"aggregate": "mean", "column": "salary", "dataset": "staff", "error": 100.0, "where": null}',5,500.0,100.0,400.0,600.0,'{"members": "eNr7/4EBAATgAfA=", "error": "1200", "divisor": "12", "cells": {"low": "0", "high": "12000", "parts": 12001, "cuts": [[0, 0], [2400, 2400], [4800, 4800], [7201, 7201], [9601, 9601], [12001, 12001]], "step": "1"}, "chosen": 2, "free": false}','2026-11-18T16:24:01+00:00','b6dd718b7dd926cb99e15b71e00fec25d03b96dceecef75ffb9bf0d055eac2f4');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',2,'8cb4a8f54b013e3de45b6f60cf4d9ef82258d3f13cb9f3dacd7a004702aac0f7','ann','{"aggregate": "sum", "column": "bonus", "dataset": "staff", "error": 40.0, "where": {"column": "dept", "is": "=", "value": "a"}}',8,413.0,37.0,376.0,450.0,'{"members": "eNpj4D8AAADhANA=", "error": "40", "divisor": "1", "cells": {"low": "0", "high": "600", "parts": 601, "cuts": [[0, 0], [75, 75], [150, 150], [225, 225], [300, 300], [376, 376], [451, 451], [526, 526], [601, 601]], "step": "1"}, "chosen": 5, "free": false}','2026-11-18T16:24:01+00:00','afa39dca4a6853abe56de7986e8dc7e8785b38eb29ab07bd3c53a6f268ddec3f');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',3,'f8cee6a88d273712a406429a72f8d57c3845af163bd1ef9f22280cdde0290b49','ann','{"aggregate": "sum", "column": "salary", "dataset": "staff", "error": 200.0, "where": {"column": "name", "is": "in", "value": ["p00", "p03", "p07"]}}',8,1687.5,187.5,1500.0,1875.0,'{"members": "eNpja2AAAAEVAIc=", "error": "200", "divisor": "1", "cells": {"low": "0", "high": "3000", "parts": 3001, "cuts": [[0, 0], [375, 375], [750, 750], [1125, 1125], [1500, 1500], [1876, 1876], [2251, 2251], [2626, 2626], [3001, 3001]], "step": "1"}, "chosen": 4, "free": false}','2026-11-18T16:24:01+00:00','0c5839c7471daeea1ab798238a17bb0b841c3936144b430e43ab6ec056b33818');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',4,'c28145f1d19f5d3aa5ff1767dbc61ddb20137683c3ee481585a312e5c1c74aa3','ann','{"aggregate": "sum", "dataset": "staff", "error": 300.0, "terms": [{"columns": ["bonus"], "times": 1.0}, {"columns": ["salary"], "times": 1.0}], "where": {"column": "name", "is": ">", "value": "p05"}}',11,3338.0,296.0,3042.0,3634.0,'{"members": "eNqb8bIPAAQrAhA=", "error": "300", "divisor": "1", "cells": {"low": "76", "high": "6600", "parts": 6525, "cuts": [[0, 0], [593, 593], [1186, 1186], [1780, 1780], [2373, 2373], [2966, 2966], [3559, 3559], [4152, 4152], [4745, 4745], [5339, 5339], [5932, 5932], [6525, 6525]], "step": "1"}, "chosen": 5, "free": false}','2026-11-18T16:24:01+00:00','5005dd807cfb82519361e11012a02b0dc1937a98cba5600366ba5d821130f298');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',5,'b53795036fd6997946a827ecc125018ca0e6b299df5a421b92ff0a4e3613cf2e','ann','{"aggregate": "sum", "dataset": "staff", "error": 5000.0, "terms": [{"columns": ["hours", "salary"], "times": 1.0}], "where": {"column": "name", "is": "<", "value": "p09"}}',7,33732.0,4910.0,28822.0,38642.0,'{"members": "eNp7P4EBAAPwAYA=", "weights": "eNrjZYAAHijNB6W5oTQXlOZF4/OgqQMAEUgAaw==", "error": "5000", "divisor": "1", "cells": {"low": "19000", "high": "87750", "parts": 68751, "cuts": [[0, 0], [9822, 9822], [19643, 19643], [29465, 29465], [39286, 39286], [49108, 49108], [58929, 58929], [68751, 68751]], "step": "1"}, "chosen": 1, "free": false}','2026-11-18T16:24:01+00:00','17bf073037e0b07fa23ab7acf1560655b48c6003507a99e0ba22400c19d0d457');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',6,'ad74993c9ceb8961b28a0d7b37fd7a2843281e80451e6418d0ab08dfd21b443b','ann','{"aggregate": "sum", "column": "salary", "dataset": "staff", "error": 400.0, "where": {"column": "name", "is": "=", "value": "p04"}}',2,249.5,249.5,0.0,499.0,'{"members": "eNpTYGAAAABjACE=", "error": "400", "divisor": "1", "cells": {"low": "0", "high": "1000", "parts": 1001, "cuts": [[0, 0], [500, 500], [1001, 1001]], "step": "1"}, "chosen": 0, "free": false}','2026-11-18T16:24:01+00:00','cd83bdac26cfec478186b05858d99b381e128e7ffe99055e207f7356f64c07c3');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',7,'4047d117c67e28c0f85bc0bfac428ff50e5d06bb1735b3d3d76cdc2d103a02dd','ann','{"aggregate": "sum", "dataset": "staff", "error": 800.0, "terms": [{"columns": ["salary"], "times": 2.0}], "where": {"column": "name", "is": "=", "value": "p04"}}',1,499.0,499.0,0.0,998.0,'{}','2026-11-18T16:24:01+00:00','4d160fb983a2a3cfe307ce3012e19e3d9eacf7650703cdf0825f63ec95f1dd4f');
CREATE TABLE discreet_columns (
	dataset TEXT NOT NULL, 
	name TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	declared TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	PRIMARY KEY (dataset, name)
);
INSERT INTO "discreet_columns" VALUES('staff','dept',0,'public','91170c5e9a4980ca95332ef961b90e722579c6cd9be3b4a072e96f9f55904837','{}','');
INSERT INTO "discreet_columns" VALUES('staff','salary',1,'private','fd93dec167be8243a990c4948d920406ec00fee36cf6e5e5f94fdfa64c1e7809','{"category": [], "integral": true, "keep": 200.0, "lower": 0.0, "missing_as": null, "name": "salary", "step": null, "together": ["salary", "bonus"], "upper": 1000.0}','[["VYLh3LrKMRXSOfNQFdpEF7Q7C4c94mZOCT1HBEVRymaO5w0yfenUcxAs0C59PYmET+bl1TsqIaPsyXW8T+8pwDPZSKAmOGzBA+kAsAVs6Nj471GrjEDK3k/hVAJ6mL7x", "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA", 18446744073709551615], ["tSl9XXSrGRpDdphUcSovIUSey4B3fL05Cos/S5IuRTyXvxn4YHB3nRgJEuxIqaSmGMnzgVgh+K8SLH5uY2entMLjz3vtiQnUGlcSB7a+Q+JhvubLkdNN5sAKpC7fEPf5", "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA", 18446744073709551615], null]');
INSERT INTO "discreet_columns" VALUES('staff','bonus',2,'private','7734d2cb133479b24a589d509100f54da367a67deb27359c024940068e36b347','{"category": [], "integral": true, "keep": 20.0, "lower": 0.0, "missing_as": null, "name": "bonus", "step": null, "together": ["salary", "bonus"], "upper": 100.0}','[["0zoUk2SffwHKVS/TLKNQD8CBqP6HBPsq8mW/wUxWQmcvT/rRyRcFdLC3CrOqZzV+XHhV66EvFIpi7x/vB8gKodzjap8iYmupW/XJicQwq66MECdE6Bx76qOgeZH5CdDz", "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA", 18446744073709551615], ["wsk5ufbZ2AFHS8ZhOFJXDgd8EB42blQTV+SP1ufa2RtnIr+2Q/xlTggYdWhZgr9aq5lAQSP/hVt15P0X/HIj0I+ZTNmQjOPVnMtYEhKxWfAhbAMAk/zH/eXQnaDH+nL+", "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA", 18446744073709551615], null]');
INSERT INTO "discreet_columns" VALUES('staff','name',3,'public','c6a3ddc4f00eb1ffad6fa32c5d6be7a495b8611ac3487e4dd1ec60559887ae51','{}','');
INSERT INTO "discreet_columns" VALUES('staff','hours',4,'public','64c6f831905501e82671cdcf5854bec1cea5ad67c5bea5d153a422d2cc28c128','{}','');
CREATE TABLE discreet_datasets (
	name TEXT NOT NULL, 
	people INTEGER NOT NULL, 
	collude BOOLEAN NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "discreet_datasets" VALUES('staff',12,1);
CREATE TABLE discreet_facts (
	name VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "discreet_facts" VALUES('schema','3');
INSERT INTO "discreet_facts" VALUES('fingerprints','92a242cac225693c9a13c527a17d69beee2453eb7919a7bfc31b30b3bdec4259');
INSERT INTO "discreet_facts" VALUES('sealed','yes');
INSERT INTO "discreet_facts" VALUES('owner_key_hash','70402cb8496c06d0a7273618fcef3a8719135e499d9c78c9c77745bd0a66dd9b');
CREATE TABLE discreet_heads (
	book TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	link VARCHAR(64) NOT NULL, 
	mark VARCHAR(64) NOT NULL, 
	PRIMARY KEY (book)
);
INSERT INTO "discreet_heads" VALUES('',1,'','7b144280942b66e117fe0dc76e655ff77bc0fb33431a7f03ef2b60145952e84d');
INSERT INTO "discreet_heads" VALUES('["staff", ["salary", "bonus"]]',7,'4d160fb983a2a3cfe307ce3012e19e3d9eacf7650703cdf0825f63ec95f1dd4f','db49f32b262ef0ce9d69a28f7665817f691606f78a32865b10b8e3742f650e21');
CREATE TABLE discreet_witnesses (
	book TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (book)
);
INSERT INTO "discreet_witnesses" VALUES('["staff", ["salary", "bonus"]]',6,X'78019BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9366A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A86263A9A3A0AB50AE4032E06103890E4F0E649259FCDC4448745530A0E247CCA74B8D4F2A2668A46A6C3E5FB5D861C3B8B1CAACEBF34DB6852E85025C7A0E3723CDF01ACCF20DF61954E4C6EC2AE050E0E7B53BF8476E63848651FCEEFDB9DE1D03BEDF1A275AC2D0EAF671CCFBA32A9C1A16DE9554953C95A87C958FD5B6A449C7F75140C4D28F231D73486090C1718CE32A83032333E6158CA3095E3304333C30C2621A6B78C0087416F0D');
CREATE INDEX ix_discreet_answers_analyst ON discreet_answers (analyst);
COMMIT;
