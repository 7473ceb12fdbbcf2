import { forgetCustomer, setCustomer } from '../../../selling/customers/change-customer.ts'
import { exportCustomer } from '../../../selling/customers/export-customer.ts'
import { getCustomer } from '../../../selling/customers/find-customers.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { CUSTOMERS } from '../texts/customers.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { showCustomers } from './customer-list.tsx'
import { EXPORT_CUSTOMER, FORGET_CUSTOMER, SET_CUSTOMER, showCustomer } from './customer-page.tsx'

/** The people who pay the shop, by their number. */
export const CUSTOMER_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/customers', showCustomers, 'read'),
  pageRoute('/customers/:id', showCustomer, 'read'),
  formRoute(SET_CUSTOMER, {
    async submit(visit, { name = '', note = '' }) {
      const { phone } = await getVisited(visit)
      await setCustomer(visit.app, visit.caller, { phone, name, note })
      return redirectDone(visit.to(`/customers/${phone}`), CUSTOMERS.note.done)
    },
    showRefused: showCustomer,
  }),
  formRoute(EXPORT_CUSTOMER, {
    async submit(visit) {
      const phone = visit.params.id ?? ''
      const body = await exportCustomer(visit.app, visit.caller, phone)
      return { kind: 'file', name: `customer-${phone}.json`, type: 'application/json; charset=utf-8', body }
    },
    showRefused: showCustomer,
  }),
  formRoute(FORGET_CUSTOMER, {
    async submit(visit) {
      const { phone, charges } = await getVisited(visit)
      await forgetCustomer(visit.app, visit.caller, { phone })
      // Of somebody who never paid nothing is left.
      const path = charges.length === 0 ? '/customers' : `/customers/${phone}`
      return redirectDone(visit.to(path), CUSTOMERS.data.forgotten)
    },
    showRefused: showCustomer,
  }),
]

const getVisited = ({ app, caller, params }: DashboardVisit) => getCustomer(app, caller, params.id ?? '')
