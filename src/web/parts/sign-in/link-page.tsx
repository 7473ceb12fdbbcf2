import { ErrorPage } from '../error-page.tsx'
import type { FormField, FormValues } from '../forms/form-spec.ts'
import type { GuestRoute, PageRequest } from '../routes/route.ts'
import { pageReply, type SurfaceReply } from '../routes/surface-reply.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from './guest-form.tsx'
import { ENTRY } from './texts.ts'

/** The page of a mailed link. Opening it changes nothing; the link is used when its form is sent. */
export type LinkPage = {
  path: string
  /** Finds the form behind this link; null if the link is used or expired. */
  form(request: PageRequest, token: string): Promise<Omit<GuestForm, 'address' | 'hidden'> | null>
  use(request: PageRequest, token: string, values: FormValues): Promise<SurfaceReply>
}

/** The field of a new password. */
export const NEW_PASSWORD: FormField = {
  ...{ name: 'password', label: ENTRY.newPassword.label, hint: ENTRY.newPassword.hint },
  ...{ kind: 'new-password', maxLength: 512 },
}

const tokenOf = ({ query, fields }: PageRequest): string => fields.link ?? query.link ?? ''

const goneReply = (): SurfaceReply =>
  pageReply(ENTRY.gone.title, ErrorPage({ title: ENTRY.gone.title, says: ENTRY.gone.says }), { status: 410 })

/** Makes the routes of a link's page and of its form. `base`: the base address of the surface. */
export function linkRoutes(base: string, { path, form, use }: LinkPage): GuestRoute[] {
  const findForm = async (request: PageRequest): Promise<GuestForm | null> => {
    const token = tokenOf(request)
    const linkForm = token === '' ? null : await form(request, token)
    return linkForm === null ? null : { ...linkForm, address: `${base}${path}`, hidden: { link: token } }
  }
  return [
    {
      method: 'GET',
      path,
      handle: async (request) => {
        const form = await findForm(request)
        return form === null ? goneReply() : showGuestForm(form)
      },
    },
    {
      method: 'POST',
      path,
      handle: async (request) => {
        const form = await findForm(request)
        return form === null
          ? goneReply()
          : answerGuestForm(request, form, (values) => use(request, tokenOf(request), values))
      },
    },
  ]
}
