-- Every list of deliveries is read by event: the one of all merges the scans of each. So a payment has an entry less to write.
drop index deliveries_listed;
