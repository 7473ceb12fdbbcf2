-- Mails that are to be sent: stored in the commit of what they tell of, sent afterwards.
create table mails (
  id         text primary key check (id ~ '^mail_[a-z0-9]{21}$'),
  recipient  text not null check (length(recipient) between 3 and 254),
  template   text not null check (length(template) between 1 and 60),
  -- What the text is filled with, sealed, because it may hold a link that signs in. Gone once the mail has ended.
  sealed     bytea,
  state      text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
  attempts   int not null default 0 check (attempts between 0 and 8),
  due_at     timestamptz,
  lease_until timestamptz,
  lease_token text,
  last_error text check (length(last_error) <= 300),
  created_at timestamptz not null,
  ended_at   timestamptz,
  constraint waiting_is_due check ((state = 'waiting') = (due_at is not null) and (state = 'waiting') = (ended_at is null)),
  constraint ended_holds_nothing check (state = 'waiting' or sealed is null),
  constraint lease_is_whole check ((lease_until is null) = (lease_token is null))
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_ended on mails (ended_at) where ended_at is not null;
create index mails_failed on mails (created_at) where state = 'failed';
