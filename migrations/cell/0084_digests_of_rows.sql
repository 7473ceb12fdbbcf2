-- What `verify` compares with, because nothing else in the database says it: who pays, what was told, whom a list pays. Each is written with
-- its row, in the same statement, and never again. Rows of a release before this one have none and are not compared.
alter table charges       add column phone_digest bytea;
alter table events        add column digest bytea;
alter table schedules     add column digest bytea;
alter table bulk_batches  add column digest bytea;
-- The operator's own number as its answer gave it, beside the answer.
alter table rail_evidence add column rail_transaction_id text;
