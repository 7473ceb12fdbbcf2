-- Every attempt to deliver an event: to where, how long it took, and what the merchant's own server answered, in clear but cut.
-- It is written with the result of the attempt and forgotten with its delivery. What was sent is the event's own body.
create table delivery_attempts (
  merchant_id  bigint not null,
  event_id     text not null,
  id           bigint generated always as identity,
  attempted_at timestamptz not null,
  url          text not null check (length(url) between 1 and 2048),
  response_code integer check (response_code between 100 and 999),
  error        text check (length(error) between 1 and 100),
  ms           integer not null check (ms >= 0),
  answer       text check (length(answer) between 1 and 1000),
  primary key (merchant_id, event_id, id)
);
