-- Run once, when the database is new. The service signs in with a login that owns nothing; migrations give it its rights.
\getenv password LOGIN_PASSWORD
create role gateway_login login password :'password';
-- Backups and the stream of WAL sign in with this one.
\getenv backup_password BACKUP_PASSWORD
create role gateway_backup login replication password :'backup_password';
