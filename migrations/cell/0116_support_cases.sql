-- What people of a merchant have written to us, about an object of theirs or about none, and what staff have answered. Moves no money.
create table support_cases (
  merchant_id bigint  not null references merchants,
  id          text    not null check (id ~ '^case_[a-z0-9]{21}$'),
  mode        mode    not null,
  -- The id of the object, the page from which it was written, and the reference that stood there.
  subject     text    check (length(subject) between 1 and 60),
  page        text    check (length(page) between 1 and 200),
  reference   text    check (length(reference) between 1 and 100),
  -- Written by somebody who sees no payouts: such people see these cases alone.
  at_counter  boolean not null,
  state       text    not null check (state in ('waiting', 'answered', 'closed')),
  opened_at   timestamptz not null,
  -- When something was written or closed last.
  last_at     timestamptz not null,
  -- Since when the merchant waits for an answer.
  waits_since timestamptz,
  closed_at   timestamptz,
  primary key (merchant_id, id),
  constraint support_cases_waits check ((state = 'waiting') = (waits_since is not null)),
  constraint support_cases_closed check ((state = 'closed') = (closed_at is not null)),
  constraint support_cases_later check (last_at >= opened_at and closed_at >= opened_at and waits_since >= opened_at)
);
create index support_cases_waiting on support_cases (waits_since, id) where waits_since is not null;
create index support_cases_latest on support_cases (state, last_at, id);
create index support_cases_of_merchant on support_cases (merchant_id, mode, last_at, id);
create index support_cases_about on support_cases (merchant_id, subject) where subject is not null;
create trigger support_cases_never_go before delete on support_cases for each row execute function refuse_change();
-- An answer to a closed case would be read by nobody: the merchant opens it again.
create trigger support_cases_move_forward before update of state on support_cases for each row
  when (old.state = 'closed' and new.state = 'answered') execute function refuse_change();

create table support_case_messages (
  merchant_id bigint not null,
  id          text   not null check (id ~ '^cmsg_[a-z0-9]{21}$'),
  case_id     text   not null,
  side        text   not null check (side in ('merchant', 'staff')),
  says        text   not null check (length(says) between 1 and 2000),
  said_by     text   not null,
  -- Who of the merchant wrote it, and hears of the answer; null for staff.
  person_id   bigint,
  said_at     timestamptz not null,
  primary key (merchant_id, id),
  constraint support_case_messages_of foreign key (merchant_id, case_id) references support_cases (merchant_id, id),
  constraint support_case_messages_person check ((side = 'merchant') = (person_id is not null))
);
create index support_case_messages_of_case on support_case_messages (merchant_id, case_id, said_at, id);
create index support_case_messages_written on support_case_messages (merchant_id, said_at) where side = 'merchant';
create trigger support_case_messages_never_change before update or delete on support_case_messages for each row execute function refuse_change();
create trigger support_case_messages_never_empty before truncate on support_case_messages for each statement execute function refuse_change();
