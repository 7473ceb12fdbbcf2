import { type Paint, paintsOf } from '../../branding/accent.ts'
import { findBranding, logoPath, MOST_LOGO_BYTES, setBranding } from '../../branding/branding.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Section } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import { assert } from '../../platform/assert.ts'
import { BRANDING } from '../texts/branding.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'

const { colour, logo, preview } = BRANDING

export const BRANDING_PATH = '/settings/branding'
const MOST_NAME = 22

const acting = { action: 'branding.set' } as const
const SET_COLOUR: FormSpec = {
  ...{ ...acting, path: `${BRANDING_PATH}/colour`, submit: colour.save },
  fields: [{ name: 'accent', label: colour.label, kind: 'color', hint: colour.hint }],
}
const DROP_COLOUR: FormSpec = {
  ...{ ...acting, path: `${BRANDING_PATH}/colour/remove`, submit: colour.drop, fields: [], plain: true },
}
const SET_LOGO: FormSpec = {
  ...{ ...acting, path: `${BRANDING_PATH}/logo`, submit: logo.save, mostFileBytes: MOST_LOGO_BYTES },
  fields: [
    {
      ...{ name: 'logo', label: logo.label, kind: 'file', hint: logo.hint },
      accept: 'image/png,image/jpeg,image/webp',
    },
  ],
}
const DROP_LOGO: FormSpec = {
  ...{ ...acting, path: `${BRANDING_PATH}/logo/remove`, submit: logo.drop, fields: [], danger: true },
}

/** Shows logo and colour, what customers see of them, and the forms for people who may change them. */
async function showBranding(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, merchant } = visit
  const { accent, logoAt } = await findBranding(app, merchant.id)
  const picture = logoPath(merchant.handle, logoAt)
  return shownPage(
    BRANDING.title,
    <>
      <h1>{BRANDING.title}</h1>
      <p>{BRANDING.lead}</p>
      <Preview visit={visit} accent={accent ?? colour.usual} picture={picture} />
      <div class="split">
        <Section title={colour.title} id="colour">
          <FormBox of={SET_COLOUR} visit={visit} state={state} values={{ accent: accent ?? colour.usual }} />
          {accent !== null && <FormBox of={DROP_COLOUR} visit={visit} />}
        </Section>
        <Section title={logo.title} id="logo">
          {picture === null ? (
            <p class="quiet">{logo.none}</p>
          ) : (
            <p>
              <img class="logo" src={picture} alt={logo.alt} height="48" />
            </p>
          )}
          <FormBox of={SET_LOGO} visit={visit} state={state} />
          {picture !== null && <FormBox of={DROP_LOGO} visit={visit} />}
        </Section>
      </div>
    </>,
    { status: state?.status ?? 200, scripts: ['photos.js'] },
  )
}

type PreviewProps = { visit: DashboardVisit; accent: string; picture: string | null }

function Preview({ visit, accent, picture }: PreviewProps) {
  const paints = paintsOf(accent)
  const { merchant } = visit
  const letters = Array.from(shown(merchant.name))
  const name = letters.length <= MOST_NAME ? letters.join('') : `${letters.slice(0, MOST_NAME - 1).join('')}…`
  return (
    <Section title={preview.title} id="preview">
      <div class="previews">
        <Card
          label={preview.light}
          paint={paints.light}
          colours={DRESS.light}
          name={name}
          picture={picture}
        />
        <Card label={preview.dark} paint={paints.dark} colours={DRESS.dark} name={name} picture={picture} />
      </div>
      <p class="hint">{preview.adjusted}</p>
      <p>
        <a href={`/pay/@${merchant.handle}`} target="_blank" rel="noreferrer">
          {preview.open}
        </a>
      </p>
    </Section>
  )
}

// Card, text, quiet text and border of both themes, as in src/pages/assets/tokens.css.
const DRESS = {
  light: { card: '#ffffff', ink: '#14201b', quiet: '#51605a', line: '#dfe6e2' },
  dark: { card: '#161e1b', ink: '#e9f0ec', quiet: '#a6b5ad', line: '#2b3833' },
}
type Dress = (typeof DRESS)['light']
type CardProps = { label: string; paint: Paint; colours: Dress; name: string; picture: string | null }

/** Draws the payment page in small. The content policy allows no styles of a merchant, but the attributes of a drawing have colours. */
const Card = ({ label, paint, colours, name, picture }: CardProps) => (
  <svg viewBox="0 0 280 250" width="280" height="250" role="img" aria-label={label}>
    <rect x="0.5" y="0.5" width="279" height="249" rx="14" fill={colours.card} stroke={colours.line} />
    {picture !== null && (
      <>
        <rect x="80" y="14" width="120" height="38" rx="6" fill="#ffffff" />
        <image href={picture} x="84" y="17" width="112" height="32" preserveAspectRatio="xMidYMid meet" />
      </>
    )}
    <g text-anchor="middle" font-family="system-ui, sans-serif">
      <text x="140" y="80" font-size="16" font-weight="700" fill={colours.ink}>
        {`${preview.to} ${name}`}
      </text>
      <text x="140" y="116" font-size="28" font-weight="700" fill={colours.ink}>
        {AMOUNT}
      </text>
      <rect x="90" y="130" width="100" height="26" rx="13" fill={paint.tint} />
      <text x="140" y="148" font-size="12" font-weight="600" fill={paint.accent}>
        {preview.note}
      </text>
      <rect x="20" y="176" width="240" height="46" rx="10" fill={paint.accent} />
      <text x="140" y="204" font-size="15" font-weight="700" fill={paint.over}>
        {preview.pay}
      </text>
    </g>
  </svg>
)
const AMOUNT = 'UGX 25,000'

const back = (visit: DashboardVisit, message: string) => doneTo(visit.to(BRANDING_PATH), message)

function change(visit: DashboardVisit, to: Parameters<typeof setBranding>[2]['change']) {
  return setBranding(visit.app, visit.caller, { merchantId: visit.merchant.id, change: to })
}

/** Settings, Branding. */
export const BRANDING_ROUTES: readonly DashboardRoute[] = [
  page(BRANDING_PATH, (visit) => showBranding(visit)),
  form(SET_COLOUR, {
    async submit(visit, { accent = '' }) {
      await change(visit, { accent })
      return back(visit, colour.saved)
    },
    again: showBranding,
  }),
  form(DROP_COLOUR, {
    async submit(visit) {
      await change(visit, { accent: null })
      return back(visit, colour.dropped)
    },
    again: showBranding,
  }),
  form(SET_LOGO, {
    async submit(visit) {
      assert(visit.file !== null, 'the form wants a file')
      await change(visit, { logo: visit.file.bytes })
      return back(visit, logo.saved)
    },
    again: showBranding,
  }),
  form(DROP_LOGO, {
    async submit(visit) {
      await change(visit, { logo: null })
      return back(visit, logo.dropped)
    },
    again: showBranding,
  }),
]
