import { amountOf, FieldFault } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo } from '../../pages/shown.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { addItem } from '../../storefront/add-item.ts'
import { editItem, removeItem } from '../../storefront/change-item.ts'
import { readPicture } from '../../storefront/picture.ts'
import { STOREFRONT } from '../texts/storefront.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { ADD, EDIT, itemOf, REMOVE, showItem, showItems } from './item-pages.tsx'

/** The public page of a merchant: live only. */
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
  form(REMOVE, {
    async submit(visit) {
      const { id } = await itemOf(visit)
      await removeItem(visit.app, visit.caller, { shop: visit.merchant, id })
      return doneTo(visit.to('/storefront'), STOREFRONT.remove.done)
    },
    again: showItem,
  }),
]

/** The picture that came with the form, as it is stored; null without one. */
async function pictureOf({ file }: DashboardVisit): Promise<Buffer | null> {
  if (file === null || file.bytes.length === 0) return null
  const picture = await readPicture(file.bytes)
  if (picture === null) throw new FieldFault('picture', STOREFRONT.badPicture)
  return picture
}
