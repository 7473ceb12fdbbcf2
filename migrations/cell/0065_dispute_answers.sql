-- What the shop has answered to a customer's report: shown on the customer's page, and mailed where they left an address.
create table dispute_answers (
  merchant_id bigint not null,
  id          text   not null check (id ~ '^dsa_[a-z0-9]{21}$'),
  dispute_id  text   not null,
  says        text   not null check (length(says) between 1 and 2000),
  -- Who of the shop wrote it; customers do not see it.
  said_by     text   not null,
  said_at     timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, dispute_id) references disputes (merchant_id, id)
);
create index dispute_answers_of on dispute_answers (merchant_id, dispute_id, said_at, id);
create trigger dispute_answers_never_change before update or delete on dispute_answers for each row execute function refuse_change();
create trigger dispute_answers_never_empty before truncate on dispute_answers for each statement execute function refuse_change();
