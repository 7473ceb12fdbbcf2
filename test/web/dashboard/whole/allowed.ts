import { type Action, ruleOf } from '../../../../src/api/access/actions.ts'
import type { MerchantRole } from '../../../../src/api/access/actor.ts'
import { DASHBOARD_BASE, TEST_PREFIX } from '../../../../src/web/dashboard/addresses.ts'
import { DASHBOARD_ROUTES } from '../../../../src/web/dashboard/routes-list.ts'
import type { DashboardRoute } from '../../../../src/web/dashboard/visit.ts'
import { pathOf } from './places.ts'

export const mayDo = (role: MerchantRole, action: Action): boolean => (ruleOf(action).persons ?? []).includes(role)

export const refusalOf = (role: MerchantRole): string => `your role (${role}) may not do this`

const FORMS = DASHBOARD_ROUTES.filter(({ kind }) => kind === 'form').map((route) => ({
  route,
  at: new RegExp(`^${DASHBOARD_BASE}(?:${TEST_PREFIX})?${pathOf(route).replace(/:\w+/g, '[^/]+')}$`),
}))

/** The declared forms that are sent to this address. */
export const formsAt = (address: string): DashboardRoute[] =>
  FORMS.filter(({ at }) => at.test(address.split('?', 1)[0] ?? '')).map(({ route }) => route)
