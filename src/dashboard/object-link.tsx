import type { Action } from '../actors/actions.ts'
import { mayDo } from '../actors/allow.ts'
import type { Prefix } from '../reports/search.ts'
import type { DashboardVisit } from './visit.ts'

type ObjectPage = { path: string; see: Action; isList?: true }

/** Where the page of an object is, and what its reader must be allowed to see; by the beginning of its id. */
export const OBJECT_PAGES = {
  txn_: { path: '/charges', see: 'read' },
  pout_: { path: '/payouts', see: 'payouts.read' },
  prep_: { path: '/payouts/prepared', see: 'payouts.read' },
  lnk_: { path: '/links', see: 'read' },
  ord_: { path: '/orders', see: 'read' },
  spo_: { path: '/payroll', see: 'payouts.read' },
  sub_: { path: '/subaccounts', see: 'shop.read' },
  gc_: { path: '/gift-cards', see: 'shop.read' },
  itm_: { path: '/storefront', see: 'shop.read' },
  dsp_: { path: '/disputes', see: 'read' },
  evt_: { path: '/developers/webhooks', see: 'payouts.read' },
  batch_: { path: '/bulk', see: 'payouts.read' },
  // They have no pages of their own: their list is what there is.
  setl_: { path: '/wallet/settlements', see: 'payouts.read', isList: true },
} as const satisfies Record<Prefix | 'prep_', ObjectPage>

type Reader = Pick<DashboardVisit, 'caller' | 'to'>

/** The address of the page of an object; null where it has none, or none that this person may see. `as`: of a link that is an order. */
export function pageOfObject({ caller, to }: Reader, id: string, as?: 'ord_'): string | null {
  const pages: Readonly<Record<string, ObjectPage>> = OBJECT_PAGES
  const page = pages[as ?? /^[a-z]+_/.exec(id)?.[0] ?? '']
  return page === undefined || !mayDo(caller, page.see) ? null : to(pathIn(page, id))
}

/** The path of the page of an object of this kind. */
export const pathIn = ({ path, isList }: ObjectPage, id: string): string => (isList ? path : `${path}/${id}`)

/** An id that leads to the page of its object, where there is one for this person. */
export function ObjectLink({ visit, id, as }: { visit: Reader; id: string; as?: 'ord_' }) {
  const address = pageOfObject(visit, id, as)
  return address === null ? <code>{id}</code> : <a href={address}>{id}</a>
}
