import { ErrorPage } from '../error-page.tsx'
import type { Field, Values } from '../form-spec.ts'
import type { Asked, GuestRoute } from '../route.ts'
import { type Shown, shownPage } from '../shown.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from './guest-form.tsx'
import { ENTRY } from './texts.ts'

/** A page that asks before its link is used: to look at it changes nothing. */
export type LinkPage = {
  path: string
  /** The form behind this link; null where the link does not work any more. */
  form(asked: Asked, token: string): Promise<Omit<GuestForm, 'address' | 'hidden'> | null>
  use(asked: Asked, token: string, values: Values): Promise<Shown>
}

/** The field of a new password. */
export const NEW_PASSWORD: Field = {
  ...{ name: 'password', label: ENTRY.newPassword.label, hint: ENTRY.newPassword.hint },
  ...{ kind: 'new-password', most: 512 },
}

const tokenOf = ({ query, fields }: Asked): string => fields.link ?? query.link ?? ''

const gone = (): Shown =>
  shownPage(ENTRY.gone.title, ErrorPage({ title: ENTRY.gone.title, says: ENTRY.gone.says }), { status: 410 })

/** The page of a link and its form, on the surface that begins there. */
export function linkRoutes(base: string, { path, form, use }: LinkPage): GuestRoute[] {
  const at = async (asked: Asked): Promise<GuestForm | null> => {
    const token = tokenOf(asked)
    const found = token === '' ? null : await form(asked, token)
    return found === null ? null : { ...found, address: `${base}${path}`, hidden: { link: token } }
  }
  return [
    {
      method: 'GET',
      path,
      handle: async (asked) => {
        const form = await at(asked)
        return form === null ? gone() : showGuestForm(form)
      },
    },
    {
      method: 'POST',
      path,
      handle: async (asked) => {
        const form = await at(asked)
        return form === null
          ? gone()
          : answerGuestForm(asked, form, (values) => use(asked, tokenOf(asked), values))
      },
    },
  ]
}
