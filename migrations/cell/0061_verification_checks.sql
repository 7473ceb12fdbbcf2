-- The same phone, number of an identity document or browser in the applications of several merchants, found without opening any: HMACs
-- of the normalised value under a key of its own. Written when an application is submitted.
create table verification_digests (
  merchant_id bigint not null references merchants,
  kind        text   not null check (kind in ('phone', 'id_number', 'browser')),
  digest      bytea  not null check (length(digest) = 32),
  seen_at     timestamptz not null,
  primary key (merchant_id, kind, digest)
);
create index verification_digests_same on verification_digests (kind, digest, merchant_id);

-- What an operator's wallet look-up said about a number of a merchant, sealed: the number and the name of its holder.
create table name_checks (
  merchant_id bigint not null references merchants,
  what        text   not null check (what ~ '^(?:settlement|withdrawal|director-[0-9])$'),
  sealed      bytea  not null check (length(sealed) between 34 and 2048),
  checked_at  timestamptz not null,
  checked_by  text   not null,
  primary key (merchant_id, what)
);

-- Until when a document counts, as a reviewer has read on it, and when its owners were told that it ends.
alter table verification_documents
  add column expires_on date,
  add column told_at    timestamptz;
create index verification_documents_ending on verification_documents (expires_on, merchant_id, id) where expires_on is not null;
create index verification_documents_untold on verification_documents (expires_on)
  where expires_on is not null and told_at is null;
