import type { Action } from '../../../api/access/actions.ts'
import { mayDo } from '../../../api/access/allow.ts'
import { pageReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { BRANDING_PATH } from '../branding/branding-page.tsx'
import { isReachable } from '../hidden-from-staff.ts'
import { NOTICES_PATH } from '../notices/notices-path.ts'
import { PEOPLE_PATH } from '../people/people-page.tsx'
import { SECURITY_PATH } from '../people/security-page.tsx'
import { SETTINGS } from '../texts/settings.ts'
import type { DashboardVisit } from '../visit.ts'
import { CLOSE_PATH } from './close-page.tsx'

type SettingsEntry = { path: string; name: string; says: string; see?: Action }

const ENTRIES: readonly SettingsEntry[] = [
  { path: BRANDING_PATH, ...SETTINGS.branding },
  { path: '/settings/business', ...SETTINGS.business },
  { path: PEOPLE_PATH, ...SETTINGS.people },
  { path: SECURITY_PATH, ...SETTINGS.security },
  { path: '/settings/limits', ...SETTINGS.limits },
  { path: NOTICES_PATH, ...SETTINGS.notifications },
  { path: '/settings/audit', ...SETTINGS.audit, see: 'audit.read' },
  { path: CLOSE_PATH, ...SETTINGS.close, see: 'merchant.close' },
]

const COLUMNS: readonly ListColumn<SettingsEntry>[] = [
  { title: SETTINGS.columns.name, cell: ({ name }) => name, at: 'who' },
  { title: SETTINGS.columns.says, cell: ({ says }) => says, at: 'more' },
]

/** The settings that this person may open. */
const filterEntries = (visit: DashboardVisit) =>
  ENTRIES.filter(({ path, see }) => isReachable(visit, path) && (see === undefined || mayDo(visit.caller, see)))

/** Lists the settings of the business and of the person's own account. */
export const showSettings = async (visit: DashboardVisit) =>
  pageReply(
    SETTINGS.title,
    <>
      <h1>{SETTINGS.title}</h1>
      <Table
        caption={SETTINGS.title}
        rows={filterEntries(visit)}
        columns={COLUMNS}
        href={({ path }) => visit.to(path)}
      />
    </>,
  )
