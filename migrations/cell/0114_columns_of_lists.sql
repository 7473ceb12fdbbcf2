-- A list comes as spreadsheets save it, so a person may have to say what its columns hold. `layout` says how the lines of the draft are read;
-- then each row of `csv` begins with the number of its line in the file. Without one, the draft is from before, and its CSV has a header.
alter table bulk_drafts add column layout jsonb;
alter table bulk_drafts add constraint bulk_drafts_layout check (layout is null or (jsonb_typeof(layout) = 'object' and length(layout::text) <= 16000));

-- What a merchant's people said about the columns of lists with these headings, for the next list with the same.
create table list_columns (
  merchant_id bigint not null,
  headings    bytea  not null check (length(headings) = 32),
  uses        jsonb  not null check (jsonb_typeof(uses) = 'array' and length(uses::text) <= 2000),
  said_at     timestamptz not null,
  primary key (merchant_id, headings)
);
