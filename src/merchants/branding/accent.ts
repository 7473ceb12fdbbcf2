/** A merchant's colour as pages use it in one theme: the accent on paper and cards, the text over it, and its tint. */
export type Paint = { accent: string; over: string; tint: string }
/** The two themes of one colour. */
type Paints = { light: Paint; dark: Paint }

type Rgb = readonly [number, number, number]
type Theme = { paper: Rgb; card: Rgb; over: Rgb; away: Rgb; tinted: number }

// The least contrast for text of usual size (WCAG 2.2, 1.4.3).
const MIN_CONTRAST = 4.5
const MIX_STEPS = 200
const COLOUR = /^#[0-9a-f]{6}$/

// Paper and card are copied from src/web/parts/assets/tokens.css.
const LIGHT: Theme = {
  ...{ paper: [0xf2, 0xf5, 0xf3], card: [0xff, 0xff, 0xff], over: [0xff, 0xff, 0xff] },
  ...{ away: [0, 0, 0], tinted: 0.09 },
}
const DARK: Theme = {
  ...{ paper: [0x0d, 0x13, 0x11], card: [0x16, 0x1e, 0x1b], over: [0x0d, 0x13, 0x11] },
  ...{ away: [0xff, 0xff, 0xff], tinted: 0.14 },
}

/** Parses a colour to its stored form, `#0b6b53`; null when the text is no colour. */
export function parseColour(text: string): string | null {
  const colour = text.trim().toLowerCase()
  return COLOUR.test(colour) ? colour : null
}

/**
 * Makes the merchant's colour readable: darker for the light theme and lighter for the dark one, only as far as text in it, on it and
 * on its tint needs (WCAG 2.2 AA). Every colour has such a pair, so none is refused.
 */
export const makePaints = (colour: string): Paints => ({
  light: makePaint(parseRgb(colour), LIGHT),
  dark: makePaint(parseRgb(colour), DARK),
})

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(first: string, second: string): number {
  return contrastOfRgb(parseRgb(first), parseRgb(second))
}

function makePaint(chosen: Rgb, theme: Theme): Paint {
  for (let step = 0; ; step += 1) {
    const accent = mixColours(chosen, theme.away, step / MIX_STEPS)
    const tint = mixColours(theme.card, accent, theme.tinted)
    const grounds = [theme.paper, theme.card, theme.over, tint]
    // The last step is black or white, which has enough contrast on every ground of the theme.
    if (step === MIX_STEPS || grounds.every((ground) => contrastOfRgb(accent, ground) >= MIN_CONTRAST))
      return { accent: formatHex(accent), over: formatHex(theme.over), tint: formatHex(tint) }
  }
}

const parseRgb = (colour: string): Rgb => {
  const number = Number.parseInt(colour.slice(1), 16)
  return [number >> 16, (number >> 8) & 0xff, number & 0xff]
}
const formatHex = (rgb: Rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`
const mixColours = (from: Rgb, to: Rgb, fraction: number): Rgb => {
  const part = (at: 0 | 1 | 2) => Math.round(from[at] + (to[at] - from[at]) * fraction)
  return [part(0), part(1), part(2)]
}

function contrastOfRgb(first: Rgb, second: Rgb): number {
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(part: number): number {
  const fraction = part / 255
  return fraction <= 0.04045 ? fraction / 12.92 : ((fraction + 0.055) / 1.055) ** 2.4
}
