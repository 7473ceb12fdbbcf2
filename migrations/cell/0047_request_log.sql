-- What a merchant asked of the API and how it was answered, for 30 days. Written in groups after the answers, outside every
-- transaction of money: the rows of the last second are lost with a process that dies. Never bodies, phones or whole keys.
create table request_log (
  merchant_id bigint not null,
  mode        mode not null,
  -- The time of the answer in ms, times 4194304, plus chance: rows lie in the order of time, and pages need no other index.
  id          bigint not null,
  request_id  text not null,
  method      text not null,
  -- The pattern of the path, never the path with its query.
  route       text not null,
  status      smallint not null,
  code        text,
  ms          real not null,
  key_outcome text,
  error       text,
  key_last4   text not null,
  object_id   text,
  primary key (merchant_id, mode, id)
) with (autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_analyze_scale_factor = 0.5);
-- Refusals are few and what people look for.
create index request_log_refused on request_log (merchant_id, mode, id) where status >= 400;
