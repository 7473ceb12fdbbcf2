-- What a merchant says about a payment: the name of the payer, and its own members, which are never interpreted. Both are null where nothing
-- was said, which takes no room in a row that has null columns already.
alter table charges add column customer_name text, add column metadata jsonb;
-- `not valid` looks at no row from before: they have neither.
alter table charges add constraint charges_say_little check ((customer_name is null and metadata is null)
  or (length(customer_name) between 1 and 100 is not false
    and (jsonb_typeof(metadata) = 'object' and metadata <> '{}' and length(metadata::text) <= 25000) is not false)) not valid;
