import { switchLink } from '../../../selling/payment-links/switch-link.ts'
import { addItem } from '../../../selling/storefront/add-item.ts'
import { editItem, removeItem } from '../../../selling/storefront/change-item.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { showShopPoster } from '../links/poster-page.tsx'
import { STOREFRONT } from '../texts/storefront.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import {
  ADD_ITEM,
  EDIT_ITEM,
  getVisitedItem,
  HIDE_ITEM,
  REMOVE_ITEM,
  SHOW_ITEM,
  showAddItem,
  showItem,
  showItemList,
} from './item-pages.tsx'
import { parsePictureField } from './picture-field.ts'

/** The public page of a merchant and its items; in test mode its twin. */
export const STOREFRONT_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/storefront', showItemList, 'shop.read'),
  pageRoute(ADD_ITEM.path, showAddItem, ADD_ITEM.action),
  pageRoute('/storefront/poster', showShopPoster, 'shop.read'),
  pageRoute('/storefront/:id', showItem, 'shop.read'),
  formRoute(ADD_ITEM, {
    async submit(visit, values) {
      const { item } = await addItem(visit.app, visit.caller, {
        shop: visit.merchant,
        mode: visit.mode,
        name: values.name ?? '',
        amount: getAmount(values, 'amount'),
        description: values.description || null,
        picture: await parsePictureField(visit),
        commandKey: getOnce(visit).key,
      })
      return redirectDone(visit.to(`/storefront/${item.id}`), STOREFRONT.add.done)
    },
    showRefused: showAddItem,
  }),
  formRoute(EDIT_ITEM, {
    async submit(visit, values) {
      const { id } = await getVisitedItem(visit)
      const picture = await parsePictureField(visit)
      await editItem(visit.app, visit.caller, {
        shop: visit.merchant,
        id,
        change: {
          name: values.name ?? '',
          amount: getAmount(values, 'amount'),
          description: values.description || null,
          ...(picture !== null ? { picture } : values.drop === 'yes' ? { picture: null } : {}),
        },
      })
      return redirectDone(visit.to(`/storefront/${id}`), STOREFRONT.edit.done)
    },
    showRefused: showItem,
  }),
  formRoute(HIDE_ITEM, { submit: (visit) => submitSwitch(visit, 'off'), showRefused: showItem }),
  formRoute(SHOW_ITEM, { submit: (visit) => submitSwitch(visit, 'on'), showRefused: showItem }),
  formRoute(REMOVE_ITEM, {
    async submit(visit) {
      const { id } = await getVisitedItem(visit)
      await removeItem(visit.app, visit.caller, { shop: visit.merchant, id })
      return redirectDone(visit.to('/storefront'), STOREFRONT.remove.done)
    },
    showRefused: showItem,
  }),
]

/** Hides or shows an item by its link: an item is on the public page as long as its link can be paid. */
async function submitSwitch(visit: DashboardVisit, to: 'on' | 'off') {
  const { id, linkId } = await getVisitedItem(visit)
  await switchLink(visit.app, visit.caller, { owner: visit.merchant, id: linkId, to })
  return redirectDone(visit.to(`/storefront/${id}`), to === 'off' ? STOREFRONT.isHidden : STOREFRONT.isShown)
}
