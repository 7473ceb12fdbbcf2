import type { ComponentChildren } from 'preact'
import { Basics, Refresh } from '../../pages/document.tsx'
import { CHECKOUT_ASSETS, type CheckoutScript } from '../assets.ts'
import { CHECKOUT_CSS } from '../styles.ts'
import { TEXTS } from '../texts/texts.ts'
import type { Language, Setting } from '../view.ts'

// The colours of the card, for the bars of the browser: on a phone the card fills the page.
const PAPER = { light: '#fff', dark: '#161e1b' }
const LANGUAGES = Object.keys(TEXTS) as Language[] // Exactly the keys of the record.

type Shell = {
  setting: Setting
  title: string
  script?: CheckoutScript
  /** Without scripts: reload or redirect after so many seconds. */
  refresh?: { seconds: number; url?: string }
  /** A page for everybody, not one person's payment. */
  open?: boolean
  wide?: boolean
  children: ComponentChildren
}

/** The document around every page: head, test banner, the card in the middle, languages at the foot. */
export function Shell({ setting, title, script, refresh, open, wide, children }: Shell) {
  return (
    <html lang={setting.language}>
      <head>
        <Basics />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content={PAPER.light} media="(prefers-color-scheme:light)" />
        <meta name="theme-color" content={PAPER.dark} media="(prefers-color-scheme:dark)" />
        <meta name="format-detection" content="telephone=no" />
        {!open && <meta name="robots" content="noindex" />}
        <title>{setting.mode === 'test' ? `${TEXTS[setting.language].test.word} · ${title}` : title}</title>
        <link rel="icon" type="image/svg+xml" href={CHECKOUT_ASSETS['icon.svg'].href} />
        <style>{CHECKOUT_CSS}</style>
        {setting.brand?.style && <style>{setting.brand.style}</style>}
        {refresh && <Refresh {...refresh} />}
        {script && <script src={CHECKOUT_ASSETS[script].href} defer />}
      </head>
      <body>
        {setting.mode === 'test' && <TestBanner language={setting.language} />}
        <main class={wide ? 'card wide' : 'card'}>
          {setting.brand?.logo && <img class="logo" src={setting.brand.logo} alt="" height="48" />}
          {children}
        </main>
        <Languages setting={setting} />
      </body>
    </html>
  )
}

function TestBanner({ language }: { language: Language }) {
  const { word, says } = TEXTS[language].test
  return (
    <header class="test">
      <strong>{word}</strong> – {says}
    </header>
  )
}

function Languages({ setting }: { setting: Setting }) {
  const { here, language } = setting
  const to = (other: Language) => `${here}${here.includes('?') ? '&' : '?'}lang=${other}`
  return (
    <footer>
      <nav aria-label={TEXTS[language].languages}>
        {LANGUAGES.map((other) => (
          <a
            href={to(other)}
            lang={other}
            hreflang={other}
            aria-current={other === language ? 'true' : undefined}
          >
            {TEXTS[other].ownName}
          </a>
        ))}
      </nav>
    </footer>
  )
}
