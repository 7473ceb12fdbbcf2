import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { remakePicture } from '../../platform/processes/picture.ts'
import { badRequest, invalidRequest } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { parseColour } from './accent.ts'

/** The look of a merchant's customer pages. `accent` is the colour as it was chosen, before it is made readable. */
type Branding = { accent: string | null; logoAt: Date | null }

/** The fields to change; absent ones stay, null goes back to the default. The logo is the uploaded file. */
type BrandingChange = { accent?: string | null; logo?: Buffer | null }

/** The largest logo file that is accepted. */
export const MAX_LOGO_BYTES = 2 * 1024 * 1024

const MAX_STORED_LOGO_BYTES = 65_536
const LOGO_WIDTH = 480
const LOGO_HEIGHT = 144
const WEBP_QUALITIES = [85, 60, 35]

const FIND = statement<Branding>('branding', 'select accent, logo_at as "logoAt" from brandings where merchant_id = $1')
const LOGO = statement<{ logo: Buffer }>(
  'logo',
  'select logo from brandings where merchant_id = $1 and logo is not null',
)
// $3 and $6 tell whether colour and logo are given; one that is not given keeps its value.
const SET = statement<Branding>(
  'set branding',
  `insert into brandings as b (merchant_id, accent, logo, logo_at, changed_at)
   values ($1, $2, $4, case when $4::bytea is not null then $5::timestamptz end, $5)
   on conflict (merchant_id) do update set changed_at = $5,
     accent = case when $3::boolean then excluded.accent else b.accent end,
     logo = case when $6::boolean then excluded.logo else b.logo end,
     logo_at = case when $6::boolean then excluded.logo_at else b.logo_at end
   returning accent, logo_at as "logoAt"`,
)

/** Reads the branding of a merchant; both fields are null where it has none. */
export const readBranding = async (app: App, merchantId: number): Promise<Branding> =>
  (await firstRow(app.db.query(FIND, [merchantId]))) ?? { accent: null, logoAt: null }

/** Reads the WebP logo of a merchant, or null. */
export const findLogo = async (app: App, merchantId: number): Promise<Buffer | null> =>
  (await firstRow(app.db.query(LOGO, [merchantId])))?.logo ?? null

/** Returns the path of a logo. It changes with every new logo, so that browsers may cache it for long. */
export const logoPath = (handle: string, logoAt: Date | null): string | null =>
  logoAt === null ? null : `/pay/@${handle}/logo?v=${logoAt.getTime()}`

/** Changes the branding. The colour is stored as chosen; pages make it readable. Throws Refusal. */
export async function setBranding(
  app: App,
  actor: Actor,
  { merchantId, change }: { merchantId: number; change: BrandingChange },
): Promise<Branding> {
  allow(actor, 'branding.set', merchantId)
  const accent = change.accent == null ? null : parseColour(change.accent)
  if (change.accent != null && accent === null)
    throw invalidRequest('accent must be a colour such as #0b6b53', 'accent')
  const logo = change.logo == null ? null : await remakeLogo(change.logo)
  const [hasAccent, hasLogo] = [change.accent !== undefined, change.logo !== undefined]
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const values = [merchantId, accent, hasAccent, logo, at.toISOString(), hasLogo]
    const [[branding]] = await tx.send(call(SET, ...values))
    const after = { ...(hasAccent ? { accent } : {}), ...(hasLogo ? { logo: logo !== null } : {}) }
    const act = { actor, action: 'branding.set', at, merchantId, after } as const
    return { value: branding ?? { accent: null, logoAt: null }, last: [auditRow(act)] }
  })
}

/** Redraws a logo file as a small WebP: only its pixels are stored, nothing else of the file. */
async function remakeLogo(file: Buffer): Promise<Buffer> {
  if (file.length <= MAX_LOGO_BYTES)
    for (const quality of WEBP_QUALITIES) {
      const picture = await remakePicture(file, {
        width: LOGO_WIDTH,
        height: LOGO_HEIGHT,
        fit: 'inside',
        quality,
      })
      if (picture === null) break
      if (picture.length <= MAX_STORED_LOGO_BYTES) return picture
    }
  throw badRequest('logo must be a whole PNG, JPEG or WebP file of at most 2 MB', { field: 'logo' })
}
