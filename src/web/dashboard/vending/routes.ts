import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { setMerchant } from '../../../merchants/account/set-merchant.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { exportOrders } from '../../../reports/exports/export-selling.ts'
import { makeDispenseSecret } from '../../../selling/vending/callbacks/dispense-secret.ts'
import { decideOrder, type OrderDecision } from '../../../selling/vending/dispensing/decide-order.ts'
import { refundOrder } from '../../../selling/vending/dispensing/refund-order.ts'
import { retryDispense } from '../../../selling/vending/dispensing/retry-dispense.ts'
import { addMachine, removeMachine } from '../../../selling/vending/machines/machines.ts'
import { syncMachines } from '../../../selling/vending/machines/sync-machines.ts'
import { createOrder } from '../../../selling/vending/orders/create-order.ts'
import { getOrder } from '../../../selling/vending/orders/find-orders.ts'
import { invalidateOrder } from '../../../selling/vending/orders/invalidate-order.ts'
import { VendingOrderCreateShape } from '../../../selling/vending/orders/order-request.ts'
import { setVending } from '../../../selling/vending/suppliers/vending-settings.ts'
import { getCreatedId } from '../../parts/created.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { renderSecretPage } from '../developers/secret-page.tsx'
import { exportRoute } from '../lists/exports.tsx'
import { CHARGES } from '../texts/charges.ts'
import { VENDING } from '../texts/vending.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import {
  ADD_MACHINE,
  REMOVE_MACHINE,
  SYNC_MACHINES,
  showAddMachine,
  showMachine,
  showMachines,
} from './machine-pages.tsx'
import { EXPORT_ORDERS, NEW_ORDER, parseOrderFilter, showNewOrder, showOrders } from './order-list.tsx'
import {
  INVALIDATE_ORDER,
  MARK_DELIVERED,
  MARK_NOT_DELIVERED,
  REFUND_ORDER,
  RETRY_DISPENSE,
  showOrder,
} from './order-page.tsx'
import {
  JAM_REFUND_MODES,
  MAKE_DISPENSE_SECRET,
  SET_JAM_REFUNDS,
  SET_PROFILE,
  SET_SUPPLIER,
  showVendingSettings,
  TURN_ON_VENDING,
} from './settings-page.tsx'

const { orders, machines, settings } = VENDING

/** The machines of a merchant, their orders, and the settings of vending. */
export const VENDING_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/vending', showMachines, 'shop.read'),
  pageRoute(ADD_MACHINE.path, showAddMachine, ADD_MACHINE.action),
  pageRoute('/vending/machines/:id', showMachine, 'shop.read'),
  formRoute(ADD_MACHINE, {
    async submit({ app, caller, merchant, to }, { machine = '', name = '' }) {
      const added = await addMachine(app, caller, { merchantId: merchant.id, machine, name: name || null })
      return redirectDone(to('/vending'), machines.added(added.machine))
    },
    showRefused: showAddMachine,
  }),
  formRoute(SYNC_MACHINES, {
    async submit({ app, caller, merchant, to }) {
      const { listed, added, inactive } = await syncMachines(app, caller, merchant.id)
      return redirectDone(to('/vending'), machines.synced(listed, added, inactive))
    },
    showRefused: showMachines,
  }),
  formRoute(REMOVE_MACHINE, {
    async submit({ app, caller, merchant, params, to }) {
      const machine = params.id ?? ''
      await removeMachine(app, caller, { merchantId: merchant.id, machine })
      return redirectDone(to('/vending'), machines.removed(machine))
    },
    showRefused: showMachine,
  }),
  pageRoute('/orders', showOrders, 'read'),
  pageRoute(NEW_ORDER.path, showNewOrder, NEW_ORDER.action),
  pageRoute('/orders/:id', showOrder, 'read'),
  exportRoute(EXPORT_ORDERS, {
    name: 'orders',
    file: (visit, reader) => exportOrders(visit.app, visit.caller, { filter: parseOrderFilter(visit), reader }),
    again: showOrders,
  }),
  formRoute(NEW_ORDER, {
    async submit(visit, { machine = '', product = '', ...values }) {
      if (visit.mode === 'live') throw domainRefusal('test_only', 'live orders come from machines')
      const amount = getAmount(values, 'amount')
      const goods = [{ spbh: '1', spmc: product, spdj: amount }]
      const given = parseBody(VendingOrderCreateShape, { machine, amount, goods })
      const { caller, requestId } = visit
      const id = getCreatedId(await createOrder(visit.app, { caller, requestId, given, idempotency: getOnce(visit) }))
      return redirectDone(visit.to(`/orders/${id}`), orders.create.done)
    },
    showRefused: showNewOrder,
  }),
  formRoute(RETRY_DISPENSE, {
    async submit({ app, caller, params, to }) {
      const { ok, order } = await retryDispense(app, caller, params.id ?? '')
      return redirectDone(to(`/orders/${order.id}`), ok ? orders.retry.done : orders.retry.failed)
    },
    showRefused: showOrder,
  }),
  formRoute(REFUND_ORDER, {
    async submit({ app, caller, params, to }) {
      const id = params.id ?? ''
      const { payout } = await refundOrder(app, caller, id)
      return redirectDone(to(`/orders/${id}`), payout === null ? CHARGES.refund.doneToCard : CHARGES.refund.done)
    },
    showRefused: showOrder,
  }),
  formRoute(MARK_DELIVERED, { submit: (visit) => submitDecision(visit, 'delivered'), showRefused: showOrder }),
  formRoute(MARK_NOT_DELIVERED, {
    submit: (visit) => submitDecision(visit, 'not-delivered'),
    showRefused: showOrder,
  }),
  formRoute(INVALIDATE_ORDER, {
    async submit({ app, caller, params, to }) {
      const { id } = await invalidateOrder(app, caller, params.id ?? '')
      return redirectDone(to(`/orders/${id}`), orders.invalidate.done)
    },
    showRefused: showOrder,
  }),
  pageRoute('/vending/settings', showVendingSettings, 'shop.read'),
  formRoute(TURN_ON_VENDING, {
    async submit(visit, { to }) {
      const { app, caller, merchant } = visit
      await setMerchant(app, caller, { merchant, change: { vendingEnabled: to === 'on' } })
      return returnToSettings(visit, to === 'on' ? settings.switch.isOn : settings.switch.isOff)
    },
    showRefused: showVendingSettings,
  }),
  formRoute(SET_SUPPLIER, {
    async submit(visit, { base_url: baseUrl = '', shbh = '', key = '', secret = '' }) {
      const { app, caller, merchant } = visit
      await setVending(app, caller, { merchant, change: { supplier: { baseUrl, shbh, key, secret } } })
      return returnToSettings(visit, settings.supplier.done)
    },
    showRefused: showVendingSettings,
  }),
  formRoute(SET_PROFILE, {
    async submit(visit, { profile, accept }) {
      const { app, caller, merchant } = visit
      const change = {
        profile: profile === 'optimistic' ? ('optimistic' as const) : ('default' as const),
        acceptApiSecret: accept === 'yes',
      }
      await setVending(app, caller, { merchant, change })
      return returnToSettings(visit, settings.profile.done)
    },
    showRefused: showVendingSettings,
  }),
  formRoute(SET_JAM_REFUNDS, {
    async submit(visit, { jams }) {
      const { app, caller, merchant } = visit
      const autoRefundOnJam = JAM_REFUND_MODES.find((jam) => jam === jams) ?? 'off'
      await setMerchant(app, caller, { merchant, change: { autoRefundOnJam } })
      return returnToSettings(visit, settings.jams.done)
    },
    showRefused: showVendingSettings,
  }),
  formRoute(MAKE_DISPENSE_SECRET, {
    async submit(visit) {
      const { secret } = await makeDispenseSecret(visit.app, visit.caller, visit.once?.key)
      const to = { href: visit.to('/vending/settings'), name: settings.secret.back }
      return renderSecretPage(
        { title: settings.secret.title, label: settings.secret.label, secret, back: to },
        settings.secret.shown,
      )
    },
    showRefused: showVendingSettings,
  }),
]

async function submitDecision({ app, caller, params, to }: DashboardVisit, decision: OrderDecision) {
  const { id, merchantId } = await getOrder(app, caller, params.id ?? '')
  await decideOrder(app, caller, { merchantId, id, decision })
  return redirectDone(to(`/orders/${id}`), orders.decided)
}

const returnToSettings = (visit: DashboardVisit, message: string) =>
  redirectDone(visit.to('/vending/settings'), message)
