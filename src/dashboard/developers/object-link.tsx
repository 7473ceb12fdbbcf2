import type { DashboardVisit } from '../visit.ts'

const PAGES: Readonly<Record<string, string>> = {
  txn: '/charges',
  pout: '/payouts',
  lnk: '/links',
  bat: '/bulk',
  sch: '/payroll',
  sub: '/subaccounts',
  dsp: '/disputes',
  evt: '/developers/webhooks',
}

/** An id that leads to the page of its object, where it has one. */
export function ObjectLink({ visit, id }: { visit: DashboardVisit; id: string }) {
  const path = PAGES[id.split('_', 1)[0] ?? '']
  return path === undefined ? <code>{id}</code> : <a href={visit.to(`${path}/${id}`)}>{id}</a>
}
