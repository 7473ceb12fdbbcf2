-- What a shop asks of one customer: a payment link that is paid once, with a number, a customer, a due day and lines. The link has the same
-- id, its amount is the sum of the lines, and what was paid or switched off stands there alone.
create table invoices (
  merchant_id    bigint  not null,
  id             text    not null,
  mode           mode    not null,
  number         integer not null check (number > 0),
  customer_name  text    check (length(customer_name) between 1 and 100),
  customer_phone text    check (customer_phone ~ '^[0-9]{9,15}$'),
  customer_email text    check (length(customer_email) between 3 and 254),
  due_on         date    not null,
  lines          jsonb   not null check (jsonb_typeof(lines) = 'array' and jsonb_array_length(lines) between 1 and 10),
  note           text    check (length(note) between 1 and 500),
  reminds        boolean not null default false,
  sent_at        timestamptz,
  seen_at        timestamptz,
  -- When the customer was forgotten: then nothing here says who it was.
  forgotten_at   timestamptz,
  created_at     timestamptz not null,
  primary key (merchant_id, id)
);
alter table invoices add constraint invoices_number_is_given_once unique (merchant_id, mode, number);
alter table invoices add constraint invoices_customer_is_known_or_forgotten check (case when forgotten_at is null
  then customer_name is not null and (customer_phone is not null or customer_email is not null)
  else customer_name is null and customer_phone is null and customer_email is null and note is null and not reminds end);
create index invoices_listed on invoices (merchant_id, mode, created_at, id);
create index invoices_of_phone on invoices (merchant_id, mode, customer_phone) where customer_phone is not null;

-- The last number that was given. Its row is locked while an invoice is made, so that numbers have no gaps.
create table invoice_numbers (
  merchant_id bigint  not null,
  mode        mode    not null,
  last        integer not null check (last > 0),
  primary key (merchant_id, mode)
);

-- The mails about an invoice, each with the time at which it is due. One that was not written says why.
create table invoice_mails (
  merchant_id bigint   not null,
  invoice_id  text     not null,
  kind        text     not null check (kind in ('invoice', 'before', 'due', 'after')),
  seq         smallint not null check (seq between 1 and 3),
  due_at      timestamptz not null,
  lease_until timestamptz,
  ended_at    timestamptz,
  outcome     text     check (outcome in ('written', 'off', 'closed', 'stopped', 'forgotten')),
  primary key (merchant_id, invoice_id, kind, seq)
);
alter table invoice_mails add constraint invoice_mails_end_with_an_outcome check ((ended_at is null) = (outcome is null));
alter table invoice_mails add constraint invoice_mails_repeat_only_the_invoice check (kind = 'invoice' or seq = 1);
create index invoice_mails_due on invoice_mails (due_at) where ended_at is null;
create index invoice_mails_written on invoice_mails (merchant_id, ended_at) where outcome = 'written';

-- Addresses, as digests, that want no more mails about invoices of this merchant.
create table invoice_mail_stops (
  merchant_id bigint not null,
  address     bytea  not null check (length(address) = 32),
  stopped_at  timestamptz not null,
  primary key (merchant_id, address)
);
