import { amountOf } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo } from '../../pages/shown.ts'
import { switchLink } from '../../payment-links/switch-link.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { addItem } from '../../storefront/add-item.ts'
import { editItem, removeItem } from '../../storefront/change-item.ts'
import { STOREFRONT } from '../texts/storefront.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { ADD, EDIT, HIDE, itemOf, REMOVE, SHOW, showItem, showItems } from './item-pages.tsx'
import { pictureOf } from './picture-field.ts'

/** The public page of a merchant and its items, in live mode only. */
export const STOREFRONT_ROUTES: readonly DashboardRoute[] = [
  page('/storefront', (visit) => showItems(visit)),
  page('/storefront/:id', (visit) => showItem(visit)),
  form(ADD, {
    async submit(visit, values) {
      if (visit.mode === 'test') throw domainRefusal('live_only', 'the storefront is live only')
      const { item } = await addItem(visit.app, visit.caller, {
        shop: visit.merchant,
        name: values.name ?? '',
        amount: amountOf(values, 'amount'),
        description: values.description || null,
        picture: await pictureOf(visit),
        commandKey: onceOf(visit).key,
      })
      return doneTo(visit.to(`/storefront/${item.id}`), STOREFRONT.add.done)
    },
    again: showItems,
  }),
  form(EDIT, {
    async submit(visit, values) {
      const { id } = await itemOf(visit)
      const picture = await pictureOf(visit)
      await editItem(visit.app, visit.caller, {
        shop: visit.merchant,
        id,
        change: {
          name: values.name ?? '',
          amount: amountOf(values, 'amount'),
          description: values.description || null,
          ...(picture !== null ? { picture } : values.drop === 'yes' ? { picture: null } : {}),
        },
      })
      return doneTo(visit.to(`/storefront/${id}`), STOREFRONT.edit.done)
    },
    again: showItem,
  }),
  form(HIDE, { submit: (visit) => switched(visit, 'off'), again: showItem }),
  form(SHOW, { submit: (visit) => switched(visit, 'on'), again: showItem }),
  form(REMOVE, {
    async submit(visit) {
      const { id } = await itemOf(visit)
      await removeItem(visit.app, visit.caller, { shop: visit.merchant, id })
      return doneTo(visit.to('/storefront'), STOREFRONT.remove.done)
    },
    again: showItem,
  }),
]

/** Hides or shows an item by its link: an item is on the public page as long as its link can be paid. */
async function switched(visit: DashboardVisit, to: 'on' | 'off') {
  const { id, linkId } = await itemOf(visit)
  await switchLink(visit.app, visit.caller, { owner: visit.merchant, id: linkId, to })
  return doneTo(visit.to(`/storefront/${id}`), to === 'off' ? STOREFRONT.isHidden : STOREFRONT.isShown)
}
