-- The merchant's own members of payouts, of the items of a bulk call, of schedules and of payment links; null where there are none, and never interpreted.
alter table payouts add column metadata jsonb;
alter table bulk_items add column metadata jsonb;
alter table schedules add column metadata jsonb;
alter table payment_links add column metadata jsonb;
-- `not valid` looks at no row from before: they have none.
alter table payouts add constraint payouts_metadata_is_small check (metadata is null
  or (jsonb_typeof(metadata) = 'object' and metadata <> '{}' and length(metadata::text) <= 25000)) not valid;
alter table bulk_items add constraint bulk_items_metadata_is_small check (metadata is null
  or (jsonb_typeof(metadata) = 'object' and metadata <> '{}' and length(metadata::text) <= 25000)) not valid;
alter table schedules add constraint schedules_metadata_is_small check (metadata is null
  or (jsonb_typeof(metadata) = 'object' and metadata <> '{}' and length(metadata::text) <= 25000)) not valid;
alter table payment_links add constraint payment_links_metadata_is_small check (metadata is null
  or (jsonb_typeof(metadata) = 'object' and metadata <> '{}' and length(metadata::text) <= 25000)) not valid;
