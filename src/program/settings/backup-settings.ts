import { resolve } from 'node:path'
import { databaseUrl, masterKey, setting, WrongSettings, wholeNumber } from './setting-readers.ts'

const stanza = (text: string) => {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$|^$/.test(text))
    throw new WrongSettings('must be the name of a stanza: letters, digits, - and _')
  return text === '' ? null : text
}

/** Where backups go and when they are late (docs/operating.md, "Backup and restore"). */
export const BACKUP_SETTINGS = {
  backupDir: setting(
    'BACKUP_DIR',
    '',
    'a folder for backups and streamed WAL, on another disk than the database; empty means none of this kind',
    (text) => (text === '' ? null : resolve(text)),
  ),
  backupKey: setting(
    'BACKUP_KEY',
    '',
    'base64 of 32 bytes, not MASTER_KEY; seals what is written to BACKUP_DIR. Keep it apart from BACKUP_DIR',
    masterKey,
  ),
  backupDatabaseUrl: setting(
    'BACKUP_DATABASE_URL',
    '',
    'the server of DATABASE_URL as a login with the right REPLICATION, for BACKUP_DIR; the embedded database needs none',
    databaseUrl,
  ),
  backupPgbackrest: setting(
    'BACKUP_PGBACKREST',
    '',
    'the stanza of pgBackRest that backs up this database, instead of BACKUP_DIR',
    stanza,
  ),
  backupKeep: setting(
    'BACKUP_KEEP',
    '7',
    'how many full backups are kept, each with everything that it needs; older ones are removed after the next full one',
    wholeNumber(1, 1000),
  ),
  backupLateHours: setting(
    'BACKUP_LATE_HOURS',
    '26',
    'after so many hours without a backup there is an alert: a day, and time for the backup itself',
    wholeNumber(1, 8760),
  ),
  drillLateDays: setting(
    'DRILL_LATE_DAYS',
    '35',
    'after so many days without a backup that was restored for a drill there is an alert',
    wholeNumber(1, 3650),
  ),
}
