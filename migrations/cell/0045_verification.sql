-- What a business tells of itself before it takes real money. Each application goes forward only; after a rejection the next one
-- begins with its answers. `merchants.kyc_status` says what counts for money and changes in the same commits.
create table verifications (
  merchant_id  bigint  not null references merchants,
  number       integer not null check (number between 1 and 10000),
  state        text    not null check (state in ('draft', 'submitted', 'approved', 'rejected')),
  opened_at    timestamptz not null,
  submitted_at timestamptz,
  submitted_by text,
  decided_at   timestamptz,
  decided_by   text,
  -- Why it was rejected: in all, and by field (`business.legal_name`).
  note         text  check (length(note) between 1 and 2000),
  notes        jsonb check (jsonb_typeof(notes) = 'object' and length(notes::text) <= 40000),
  primary key (merchant_id, number),
  constraint submitted_is_whole  check ((submitted_at is null) = (submitted_by is null)
    and (state <> 'submitted' or submitted_at is not null) and (state <> 'draft' or submitted_at is null)),
  constraint decided_is_whole    check ((state in ('approved', 'rejected')) = (decided_at is not null)
    and (decided_at is null) = (decided_by is null)),
  constraint notes_of_rejections check (state = 'rejected' or (note is null and notes is null))
);
create unique index verifications_one_open on verifications (merchant_id) where state in ('draft', 'submitted');
create index verifications_waiting on verifications (submitted_at) where state = 'submitted';
create trigger verifications_move_forward before update of state on verifications for each row
  when (old.state <> new.state and (old.state in ('approved', 'rejected') or new.state = 'draft'))
  execute function refuse_move();

-- The answers of a step, sealed: names, numbers of identity cards and phones of people.
create table verification_answers (
  merchant_id bigint  not null,
  number      integer not null,
  step        text    not null check (step in ('business', 'directors', 'settlement', 'questionnaire')),
  sealed      bytea   not null check (length(sealed) between 34 and 262144),
  saved_at    timestamptz not null,
  saved_by    text    not null,
  primary key (merchant_id, number, step),
  foreign key (merchant_id, number) references verifications
);

-- Documents of a merchant, at most twenty: the place is what bounds them. The name is a cleaned text and names no file.
create table verification_documents (
  merchant_id bigint   not null references merchants,
  id          text     not null check (id ~ '^doc_[a-z0-9]{21}$'),
  place       smallint not null check (place between 1 and 20),
  kind        text     not null check (kind in ('registration', 'identity', 'tax', 'address', 'other')),
  type        text     not null check (type in ('application/pdf', 'image/jpeg', 'image/png')),
  name        text     not null check (length(name) between 1 and 120),
  bytes       integer  not null check (bytes between 1 and 10485760),
  added_at    timestamptz not null,
  added_by    text     not null,
  primary key (merchant_id, id),
  unique (merchant_id, place)
);

-- Their bytes in pieces, each sealed: the file as it came, and of a picture a small one that was drawn anew.
create table verification_document_parts (
  merchant_id bigint   not null,
  document_id text     not null,
  content     text     not null check (content in ('file', 'preview')),
  part        smallint not null check (part between 0 and 99),
  sealed      bytea    not null check (length(sealed) between 34 and 270000),
  primary key (merchant_id, document_id, content, part),
  foreign key (merchant_id, document_id) references verification_documents
);
-- Sealed bytes do not compress, and a look at their header must not read all of them.
alter table verification_document_parts alter column sealed set storage external;
create index verification_document_parts_header on verification_document_parts (substr(sealed, 1, 5));
