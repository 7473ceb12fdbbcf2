import assert from 'node:assert/strict'
import type { Action } from '../../../../src/api/access/actions.ts'
import type { Mode } from '../../../../src/platform/mode.ts'
import { addressIn } from '../../../../src/web/dashboard/addresses.ts'
import { DASHBOARD_ROUTES } from '../../../../src/web/dashboard/routes-list.ts'
import type { DashboardRoute } from '../../../../src/web/dashboard/visit.ts'
import type { FormRoute, PageRoute } from '../../../../src/web/parts/routes/route.ts'
import { routesOfThisRun } from '../../../helpers/web/changed-routes.ts'
import type { WholeShop } from './shop.ts'

/** One declared page or form at one address of a merchant. `id`: the object that it is about. */
export type Place = { path: string; mode: Mode; address: string; id: string | null; route: DashboardRoute }

const MODES: readonly Mode[] = ['test', 'live']
const LOOKED_AT = await routesOfThisRun(DASHBOARD_ROUTES)

/** A page or form as a surface declares it. */
export type Declared = Pick<PageRoute<never>, 'kind' | 'path' | 'see'> | Pick<FormRoute<never>, 'kind' | 'spec'>

export const pathOf = (route: Declared): string => (route.kind === 'page' ? route.path : route.spec.path)
export const actionOf = (route: Declared): Action => (route.kind === 'page' ? route.see : route.spec.action)

/** Every declared page and form, about an object of this merchant where it is about one. */
export function placesOf({ ids }: Pick<WholeShop, 'ids'>): Place[] {
  return LOOKED_AT.flatMap((route) => {
    const path = pathOf(route)
    const kind = path.split('/:', 1)[0] ?? ''
    const places = MODES.flatMap((mode): Place[] => {
      const id = path.includes(':') ? (ids[mode][path] ?? ids[mode][kind]) : null
      if (id === undefined) return []
      const filled = id === null ? path : path.replace(/:\w+/, encodeURIComponent(id)).replace(':place', '1')
      return [{ path, mode, address: addressIn(mode, filled), id, route }]
    })
    assert.ok(places.length > 0, `wholeShop (test/web/dashboard/whole/shop.ts) makes an object for ${path}`)
    return places
  })
}

export const pagesOf = (shop: Pick<WholeShop, 'ids'>) => placesOf(shop).filter(({ route }) => route.kind === 'page')
export const formsOf = (shop: Pick<WholeShop, 'ids'>) => placesOf(shop).filter(({ route }) => route.kind === 'form')
