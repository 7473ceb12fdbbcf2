-- People of a merchant who asked to get each month's statement and ledger by mail. Their role is read from the directory whenever a mail is
-- written and when it is sent; with the role the wish ends.
create table month_close_readers (
  merchant_id bigint not null references merchants,
  person_id   bigint not null,
  -- The last month whose mail was written; at first the last one that was over when the person asked.
  told_month  text not null check (told_month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  created_at  timestamptz not null,
  primary key (merchant_id, person_id)
);
