BEGIN TRANSACTION;
CREATE TABLE discreet_analysts (
	name TEXT NOT NULL, 
	key_hash VARCHAR(64) NOT NULL, 
	budget DOUBLE NOT NULL, 
	revoked BOOLEAN NOT NULL, 
	PRIMARY KEY (name), 
	UNIQUE (key_hash)
);
INSERT INTO "discreet_analysts" VALUES('ann','1a3f6af2433a482b5cf8e0e1ee2accdd46cfe64f6ce66840deeaa5f9d6ca7012',1000.0,0);
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
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',1,'2aa41e53bed287cca550a603654cd54784cd538da064896764a774d54a9b95ff','ann','{"aggregate": "mean", "column": "salary", "dataset": "staff", "error": 100.0, "where": null}',5,500.0,100.0,400.0,600.0,'{"members": "eNr7/4EBAATgAfA=", "error": "1200", "divisor": "12", "cells": {"low": "0", "high": "12000", "parts": 12001, "cuts": [[0, 0], [2400, 2400], [4800, 4800], [7201, 7201], [9601, 9601], [12001, 12001]], "step": "1"}, "chosen": 2, "free": false}','2026-11-18T16:24:01+00:00','38b5f5d6fac27c59ea48f9355ea9cc8b675fe43c5d87a861baa5621c1736d21c');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',2,'8cb4a8f54b013e3de45b6f60cf4d9ef82258d3f13cb9f3dacd7a004702aac0f7','ann','{"aggregate": "sum", "column": "bonus", "dataset": "staff", "error": 40.0, "where": {"column": "dept", "is": "=", "value": "a"}}',8,413.0,37.0,376.0,450.0,'{"members": "eNpj4D8AAADhANA=", "error": "40", "divisor": "1", "cells": {"low": "0", "high": "600", "parts": 601, "cuts": [[0, 0], [75, 75], [150, 150], [225, 225], [300, 300], [376, 376], [451, 451], [526, 526], [601, 601]], "step": "1"}, "chosen": 5, "free": false}','2026-11-18T16:24:01+00:00','6326835496c732dfeb6b07e016670093a965445f7d2b578eb9779327b0f478b7');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',3,'6efad62afdece6aa2392ea14d3f7da991b9b3ff171f92db2fcd5b57c341a23ed','ann','{"aggregate": "sum", "column": "salary", "dataset": "staff", "error": 200.0, "where": {"column": "name", "is": "in", "value": ["p00", "p03", "p07"]}}',8,1687.5,187.5,1500.0,1875.0,'{"members": "eNprdGAAAAIGAMI=", "error": "200", "divisor": "1", "cells": {"low": "0", "high": "3000", "parts": 3001, "cuts": [[0, 0], [375, 375], [750, 750], [1125, 1125], [1500, 1500], [1876, 1876], [2251, 2251], [2626, 2626], [3001, 3001]], "step": "1"}, "chosen": 4, "free": false}','2026-11-18T16:24:01+00:00','42b7320670dff009d59e216612f219c70dac3d0aededb6e9ed48f60bf6e95ac8');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',4,'b44f05b43df1ebde95bda627827ad86746ca5fae2e07203979ede846c02a79aa','ann','{"aggregate": "sum", "dataset": "staff", "error": 300.0, "terms": [{"columns": ["bonus"], "times": 1.0}, {"columns": ["salary"], "times": 1.0}], "where": {"column": "name", "is": ">", "value": "p05"}}',11,3338.0,296.0,3042.0,3634.0,'{"members": "eNqTKTwOAAIAAVU=", "error": "300", "divisor": "1", "cells": {"low": "76", "high": "6600", "parts": 6525, "cuts": [[0, 0], [593, 593], [1186, 1186], [1780, 1780], [2373, 2373], [2966, 2966], [3559, 3559], [4152, 4152], [4745, 4745], [5339, 5339], [5932, 5932], [6525, 6525]], "step": "1"}, "chosen": 5, "free": false}','2026-11-18T16:24:01+00:00','58101d828c975f6fed9c713e130782e8a6d86b5791cdf301b537bf54b07e77a6');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',5,'4f4ee9a415038cecc2cddd2e6e169b1afa6d1e34785462076ccbb9546af1f80c','ann','{"aggregate": "sum", "dataset": "staff", "error": 5000.0, "terms": [{"columns": ["hours", "salary"], "times": 1.0}], "where": {"column": "name", "is": "<", "value": "p09"}}',7,33732.0,4910.0,28822.0,38642.0,'{"members": "eNr7fYABAAR0Abw=", "weights": "eNrjYoAAHijNB6W5oTQvDj4Xmj4AENgAaw==", "error": "5000", "divisor": "1", "cells": {"low": "19000", "high": "87750", "parts": 68751, "cuts": [[0, 0], [9822, 9822], [19643, 19643], [29465, 29465], [39286, 39286], [49108, 49108], [58929, 58929], [68751, 68751]], "step": "1"}, "chosen": 1, "free": false}','2026-11-18T16:24:01+00:00','d0c2bbaf4cb6ca34ba98fed47e26bd5b7172694498a551784c9854d04ac9f750');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',6,'ad74993c9ceb8961b28a0d7b37fd7a2843281e80451e6418d0ab08dfd21b443b','ann','{"aggregate": "sum", "column": "salary", "dataset": "staff", "error": 400.0, "where": {"column": "name", "is": "=", "value": "p04"}}',2,249.5,249.5,0.0,499.0,'{"members": "eNpTYGAAAABjACE=", "error": "400", "divisor": "1", "cells": {"low": "0", "high": "1000", "parts": 1001, "cuts": [[0, 0], [500, 500], [1001, 1001]], "step": "1"}, "chosen": 0, "free": false}','2026-11-18T16:24:01+00:00','62259023aa572f8e4f52123d64d5ab64b4b9bc52777570810c652c5ed0d3a304');
INSERT INTO "discreet_answers" VALUES('["staff", ["salary", "bonus"]]',7,'4047d117c67e28c0f85bc0bfac428ff50e5d06bb1735b3d3d76cdc2d103a02dd','ann','{"aggregate": "sum", "dataset": "staff", "error": 800.0, "terms": [{"columns": ["salary"], "times": 2.0}], "where": {"column": "name", "is": "=", "value": "p04"}}',1,499.0,499.0,0.0,998.0,'{}','2026-11-18T16:24:01+00:00','8c0610265c07b7792a75143586d367235632b9c9aba7ebecbc897cbdbadf4e51');
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
INSERT INTO "discreet_columns" VALUES('staff','dept',0,'public','b73186cb98e16ceedbf07866a1e8cf04ac12deb320b5d905ec4a3d750859283d','{}','');
INSERT INTO "discreet_columns" VALUES('staff','name',1,'public','e4fdaa1ad11957cde5f70d3cce03d40536faf2494b11574ce901194117d3e489','{}','');
INSERT INTO "discreet_columns" VALUES('staff','hours',2,'public','3a7c94eacb688e23ac84889eae27c0bc50c4139663f60e05865d472fc489c3b9','{}','');
INSERT INTO "discreet_columns" VALUES('staff','salary',3,'private','3185b2303b0dca378c7b2c6fff60f083ec909bf2f8aed269ba47d0fb063a46a0','{"category": [], "integral": true, "keep": 200.0, "lower": 0.0, "missing_as": null, "name": "salary", "step": null, "together": ["salary", "bonus"], "upper": 1000.0}','[["ksY8l4hPuwQQDeBX5PkPBRwCIBnyYaIeqTcVd6fPbifM0dSbwsTpWZHNWl6YKUlrdCj8o6+qsW/0SG/aSHxif277m4A1fNmzd38LlSbvu8TNyVQBHw6yyl2hvykStVHm", "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA", 18446744073709551615], ["9uNYtByzSxnI6PsgGQQ6K44klJdGs55j3TrCDjEzEqhtWHuGCldAqp/BJn67XV2q5BAW45zokbMspO93LWrhzIJeQMvPLzLUzbNJs0ysp+AbRJO66WN7914wKrcjFp75", "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA", 18446744073709551615], null]');
INSERT INTO "discreet_columns" VALUES('staff','bonus',4,'private','45fecac78995570f07c6079345b7a2a9e6e86f73bc6e4e9af9f226ebbd22d034','{"category": [], "integral": true, "keep": 20.0, "lower": 0.0, "missing_as": null, "name": "bonus", "step": null, "together": ["salary", "bonus"], "upper": 100.0}','[["obH9ZBu6ew8ky/mgvlAnFRyzyLY19p0b8T2Dw9ISECeb0CTyxLA5Uw+o5Xve/uaBkdltXbBAx41PIaofFhgflDPc2TH721eknITjiM7z57AwiOPDa50gwRfzc49DY5nk", "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA", 18446744073709551615], ["IKCfbd/XsAGyFi6xlzwLF8D39GLVsqwzAc2spCliM1pnpTkbkwz0YO44Qj0wXs6NvuB1wzAX15GdIA1iy5wElGz1yCdRjfSps6rVdJoGes8LIaDZeWw54r5w8m3/xD3y", "AQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAA", 18446744073709551615], null]');
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
INSERT INTO "discreet_facts" VALUES('fingerprints','18f21ced18b7a20d2efa915040763dfba375e6e9c60bc06520eb4bbbfba1fb80');
INSERT INTO "discreet_facts" VALUES('sealed','yes');
INSERT INTO "discreet_facts" VALUES('owner_key_hash','2085d4194628090230e4093456f97f742fa0adbbec3767f95b26e48dd0b84a04');
CREATE TABLE discreet_heads (
	book TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	link VARCHAR(64) NOT NULL, 
	mark VARCHAR(64) NOT NULL, 
	PRIMARY KEY (book)
);
INSERT INTO "discreet_heads" VALUES('',1,'','0031a4e62951530ac8ec0f370194af773fb4aaf774e20d3e03260c559703f6ef');
INSERT INTO "discreet_heads" VALUES('["staff", ["salary", "bonus"]]',7,'8c0610265c07b7792a75143586d367235632b9c9aba7ebecbc897cbdbadf4e51','a1e23caccbecb7947c9c48960ec5dd7b879ca33402bc30f704ff633d52e49c0a');
CREATE TABLE discreet_witnesses (
	book TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (book)
);
INSERT INTO "discreet_witnesses" VALUES('["staff", ["salary", "bonus"]]',6,X'78019BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9366A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A86263A9A3A0AB50AE4032E06103890E4F0E649259FCDC4448745530A0E247CCA74B8D4F2A2668A46A6C3E5FB5D861C3B8B1CAACEBF34DB6852E85025C7A0E3723CDF01ACCF20DF61954E4C6EC2AE050E0E7B53BF8476E63848651FCEEFDB9DE1D03BEDF1A275AC2D0EAF671CCFBA32A9C1A16DE9554953C95A87C958FD5B6A449C7F75140C4D28F231D73486090C1718CE32A83032333E6158CA3095E3304333C30C2621A6B78C0087416F0D');
CREATE INDEX ix_discreet_answers_analyst ON discreet_answers (analyst);
COMMIT;
