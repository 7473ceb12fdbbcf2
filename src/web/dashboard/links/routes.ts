import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { exportLinks } from '../../../reports/exports/export-selling.ts'
import { createLink } from '../../../selling/payment-links/create-link.ts'
import { getLink } from '../../../selling/payment-links/find-links.ts'
import { PaymentLinkCreateShape } from '../../../selling/payment-links/link-request.ts'
import { switchLink } from '../../../selling/payment-links/switch-link.ts'
import { publishLink } from '../../../selling/storefront/publish-link.ts'
import { getCreatedId, parseHint } from '../../parts/created.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { exportRoute } from '../lists/exports.tsx'
import { parsePictureField } from '../storefront/picture-field.ts'
import { LINKS } from '../texts/links.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { EXPORT_LINKS, NEW_LINK, parseLinkFilter, showLinks, showNewLink } from './link-list.tsx'
import { PUBLISH_LINK, SWITCH_LINK_OFF, SWITCH_LINK_ON, showPaymentLink } from './link-page.tsx'
import { showLinkPoster } from './poster-page.tsx'

/** Payment links of a merchant. */
export const LINK_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/links', showLinks, 'read'),
  pageRoute(NEW_LINK.path, showNewLink, NEW_LINK.action),
  pageRoute('/links/:id', showPaymentLink, 'read'),
  pageRoute('/links/:id/poster', showLinkPoster, 'read'),
  exportRoute(EXPORT_LINKS, {
    name: 'links',
    file: (visit, reader) => exportLinks(visit.app, visit.caller, { filter: parseLinkFilter(visit), reader }),
    again: showLinks,
  }),
  formRoute(NEW_LINK, {
    async submit(visit, values) {
      const { caller, requestId } = visit
      const { description, reference, success_url, cancel_url } = values
      const given = parseBody(PaymentLinkCreateShape, {
        amount: getAmount(values, 'amount'),
        ...{ description, reference },
        success_url: success_url === '' ? null : success_url,
        cancel_url: cancel_url === '' ? null : cancel_url,
        allow_multiple_uses: values.many === 'yes',
      })
      const answer = await createLink(visit.app, { caller, requestId, given, idempotency: getOnce(visit) })
      const [id, hint] = [getCreatedId(answer), parseHint(answer)]
      const message = hint === null ? LINKS.create.done : LINKS.create.unpayable(hint)
      return redirectDone(visit.to(`/links/${id}`), message)
    },
    showRefused: showNewLink,
  }),
  formRoute(PUBLISH_LINK, {
    async submit(visit, { name = '' }) {
      const { app, caller, merchant, params } = visit
      const { id: linkId } = await getLink(app, caller, params.id ?? '')
      const picture = await parsePictureField(visit)
      const { id } = await publishLink(app, caller, { shop: merchant, linkId, name, picture })
      return redirectDone(visit.to(`/storefront/${id}`), LINKS.publish.done)
    },
    showRefused: showPaymentLink,
  }),
  formRoute(SWITCH_LINK_OFF, { submit: (visit) => submitSwitch(visit, 'off'), showRefused: showPaymentLink }),
  formRoute(SWITCH_LINK_ON, { submit: (visit) => submitSwitch(visit, 'on'), showRefused: showPaymentLink }),
]

async function submitSwitch(visit: DashboardVisit, to: 'on' | 'off') {
  const { app, caller, merchant, params } = visit
  // The operation takes links of both modes; the page has only links of its own, so the link is looked up in that one.
  const { id } = await getLink(app, caller, params.id ?? '')
  await switchLink(app, caller, { owner: merchant, id, to })
  return redirectDone(visit.to(`/links/${id}`), to === 'off' ? LINKS.isOff : LINKS.isOn)
}
