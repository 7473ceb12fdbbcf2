/** Prints each figure of a drill as it is measured, and keeps what breaks its bar. */
export function newFigures() {
  const breaches = []
  const note = (what, value, unit = '') => console.log(`${what}: ${value}${unit === '' ? '' : ` ${unit}`}`)
  return {
    breaches,
    note,
    /** A figure that must stay below its bar. */
    below(what, value, bar, unit) {
      note(what, `${value} ${unit} (bar ${bar})`)
      if (!(value < bar)) breaches.push(`${what}: ${value} ${unit}, and ${bar} is the bar`)
    },
    /** Something that must hold; `found` says what was found instead. */
    holds(what, holds, found = '') {
      note(what, holds ? 'yes' : `NO ${found}`)
      if (!holds) breaches.push(`${what}: ${found}`)
    },
  }
}
