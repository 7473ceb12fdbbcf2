import { readBody } from '../../http/read-body.ts'
import { createdId, hintOf } from '../../pages/created.ts'
import { amountOf } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo } from '../../pages/shown.ts'
import { createLink } from '../../payment-links/create-link.ts'
import { getLink } from '../../payment-links/find-links.ts'
import { PaymentLinkCreateShape } from '../../payment-links/link-request.ts'
import { switchLink } from '../../payment-links/switch-link.ts'
import { exportLinks } from '../../reports/exports/export-links.ts'
import { publishLink } from '../../storefront/publish-link.ts'
import { exportRoute } from '../lists/exports.tsx'
import { pictureOf } from '../storefront/picture-field.ts'
import { LINKS } from '../texts/links.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { PUBLISH, SWITCH_OFF, SWITCH_ON, showLink } from './link-page.tsx'
import { EXPORT, linkFilter, NEW_LINK, showLinks } from './link-pages.tsx'

/** Payment links of a merchant. */
export const LINK_ROUTES: readonly DashboardRoute[] = [
  page('/links', (visit) => showLinks(visit), 'read'),
  page('/links/:id', (visit) => showLink(visit), 'read'),
  exportRoute(EXPORT, {
    name: 'links',
    file: ({ app, caller, query }) => exportLinks(app, caller, linkFilter(query)),
    again: showLinks,
  }),
  form(NEW_LINK, {
    async submit(visit, values) {
      const { caller, requestId } = visit
      const { description, reference, success_url, cancel_url } = values
      const given = readBody(PaymentLinkCreateShape, {
        amount: amountOf(values, 'amount'),
        ...{ description, reference },
        success_url: success_url === '' ? null : success_url,
        cancel_url: cancel_url === '' ? null : cancel_url,
        allow_multiple_uses: values.many === 'yes',
      })
      const answer = await createLink(visit.app, { caller, requestId, given, idempotency: onceOf(visit) })
      const [id, hint] = [createdId(answer), hintOf(answer)]
      const message = hint === null ? LINKS.create.done : LINKS.create.unpayable(hint)
      return doneTo(visit.to(`/links/${id}`), message)
    },
    again: showLinks,
  }),
  form(PUBLISH, {
    async submit(visit, { name = '' }) {
      const { app, caller, merchant, params } = visit
      const { id: linkId } = await getLink(app, caller, params.id ?? '')
      const picture = await pictureOf(visit)
      const { id } = await publishLink(app, caller, { shop: merchant, linkId, name, picture })
      return doneTo(visit.to(`/storefront/${id}`), LINKS.publish.done)
    },
    again: showLink,
  }),
  form(SWITCH_OFF, { submit: (visit) => switched(visit, 'off'), again: showLink }),
  form(SWITCH_ON, { submit: (visit) => switched(visit, 'on'), again: showLink }),
]

async function switched(visit: DashboardVisit, to: 'on' | 'off') {
  const { app, caller, merchant, params } = visit
  // The operation takes links of both modes; the page has only links of its own, so the link is looked up in that one.
  const { id } = await getLink(app, caller, params.id ?? '')
  await switchLink(app, caller, { owner: merchant, id, to })
  return doneTo(visit.to(`/links/${id}`), to === 'off' ? LINKS.isOff : LINKS.isOn)
}
