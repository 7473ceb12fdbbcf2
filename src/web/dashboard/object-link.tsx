import type { Action } from '../../api/access/actions.ts'
import { mayDo } from '../../api/access/allow.ts'
import { assert } from '../../platform/assert.ts'
import type { SearchPrefix } from '../../reports/search.ts'
import type { DashboardVisit } from './visit.ts'

type ObjectPage = { path: string; see: Action; isList?: true }

/** By the prefix of an id: the path of its object's page, and the action that a reader must be allowed. */
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
  // Settlements have no pages of their own: their ids lead to the list.
  setl_: { path: '/wallet/settlements', see: 'payouts.read', isList: true },
} as const satisfies Record<SearchPrefix | 'prep_', ObjectPage>

type ObjectLinkVisit = Pick<DashboardVisit, 'caller' | 'to'>

/** Finds the address of an object's page; null if it has none, or none that this person may see. `as`: an order has the id of a link. */
export function findObjectAddress({ caller, to }: ObjectLinkVisit, id: string, as?: 'ord_'): string | null {
  const page = findObjectPage(id, as)
  return page === undefined || !mayDo(caller, page.see) ? null : to(objectPath(page, id))
}

/** Gets the path of the page of an object by the prefix of its id. Fails for an object without a page. */
export function getObjectPath(id: string): string {
  const page = findObjectPage(id)
  assert(page !== undefined, 'the object has a page')
  return objectPath(page, id)
}

function findObjectPage(id: string, as?: 'ord_'): ObjectPage | undefined {
  const pages: Readonly<Record<string, ObjectPage>> = OBJECT_PAGES
  return pages[as ?? /^[a-z]+_/.exec(id)?.[0] ?? '']
}

/** The path of an object's page. */
export const objectPath = ({ path, isList }: ObjectPage, id: string): string => (isList ? path : `${path}/${id}`)

/** Shows an id, as a link to its object's page if this person may see one. */
export function ObjectLink({ visit, id, as }: { visit: ObjectLinkVisit; id: string; as?: 'ord_' }) {
  const address = findObjectAddress(visit, id, as)
  return address === null ? <code>{id}</code> : <a href={address}>{id}</a>
}
