-- A mail of news is planned before it is written: a process that dies between the two writes the same one again, and two processes at once
-- do not both tell the same.
alter table notices
  -- When the mail that asks whether the address agrees was written.
  add column asked_at timestamptz,
  -- Until when the mail that is being written tells.
  add column telling_until timestamptz,
  add column lease_until timestamptz,
  -- Mails are counted by the hour, so that many payments become one mail.
  add column hour_from timestamptz,
  add column hour_mails int not null default 0,
  -- Who stopped it: the merchant, or the reader by the link of the mails.
  add column stopped_by text,
  add constraint notices_hour_mails_check check (hour_mails >= 0),
  add constraint notices_stopped_by_check check (stopped_by in ('merchant', 'reader')),
  add constraint telling_goes_on check (telling_until >= told_until),
  add constraint nothing_before_the_agreement check (confirmed_at is not null or (telling_until is null and hour_mails = 0));
update notices set asked_at = created_at;
create index notices_to_ask on notices (created_at) where asked_at is null and stopped_at is null;
