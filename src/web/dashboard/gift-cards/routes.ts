import { listCardUses } from '../../../payments/gift-cards/card-uses.ts'
import { issueCards } from '../../../payments/gift-cards/issue-cards.ts'
import { activateCard, deactivateCard } from '../../../payments/gift-cards/switch-card.ts'
import { refundCharge } from '../../../payments/refunds/refund-charge.ts'
import { domainRefusal, notFound } from '../../../platform/refusal.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { GIFT_CARDS } from '../texts/gift-cards.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { ISSUE_CARDS, showCards, showIssuedCards, showIssuing } from './card-list.tsx'
import { ACTIVATE_CARD, DEACTIVATE_CARD, RESTORE_TO_CARD, showCard } from './card-page.tsx'

/** Gift cards of a merchant, in live mode only. */
export const GIFT_CARD_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/gift-cards', showCards, 'shop.read'),
  pageRoute(ISSUE_CARDS.path, showIssuing, ISSUE_CARDS.action),
  pageRoute('/gift-cards/:id', showCard, 'shop.read'),
  formRoute(ISSUE_CARDS, {
    async submit(visit, values) {
      requireLive(visit)
      const { cards } = await issueCards(visit.app, visit.caller, {
        issuer: visit.merchant,
        value: getAmount(values, 'value'),
        quantity: Number(values.quantity),
        expires: values.expires || null,
        notes: values.notes || null,
        commandKey: getOnce(visit).key,
      })
      return showIssuedCards(visit, cards)
    },
    showRefused: showIssuing,
  }),
  formRoute(DEACTIVATE_CARD, { submit: (visit) => submitSwitch(visit, 'off'), showRefused: showCard }),
  formRoute(RESTORE_TO_CARD, {
    async submit(visit, { charge = '' }) {
      requireLive(visit)
      const { app, caller, params } = visit
      const cardUses = await listCardUses(app, caller, params.id ?? '')
      if (!cardUses.some(({ chargeId }) => chargeId === charge)) throw notFound('charge')
      await refundCharge(app, caller, { chargeId: charge, onlyToCard: true })
      return redirectDone(visit.to(`/gift-cards/${params.id}`), GIFT_CARDS.uses.restored)
    },
    showRefused: showCard,
  }),
  formRoute(ACTIVATE_CARD, { submit: (visit) => submitSwitch(visit, 'on'), showRefused: showCard }),
]

async function submitSwitch(visit: DashboardVisit, to: 'on' | 'off') {
  requireLive(visit)
  const change = to === 'off' ? deactivateCard : activateCard
  const { id } = await change(visit.app, visit.caller, {
    owner: visit.merchant,
    cardId: visit.params.id ?? '',
  })
  return redirectDone(visit.to(`/gift-cards/${id}`), to === 'off' ? GIFT_CARDS.isOff : GIFT_CARDS.isOn)
}

function requireLive({ mode }: DashboardVisit): void {
  if (mode === 'test') throw domainRefusal('live_only', 'gift cards are live only')
}
