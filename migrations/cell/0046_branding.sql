-- How the pages of a merchant's customers look: a logo and one colour. Without a row they look like everybody's.
create table brandings (
  merchant_id bigint primary key references merchants,
  -- Drawn anew when it was set: small, and without whatever else the file held.
  logo        bytea check (length(logo) between 1 and 65536),
  logo_at     timestamptz,
  accent      text check (accent ~ '^#[0-9a-f]{6}$'),
  changed_at  timestamptz not null,
  check ((logo is null) = (logo_at is null))
);
