import type { Goods } from './order.ts'

// Room for the first few of many long names.
const MAX_LINE_CHARACTERS = 200

/** Lists the names of an order's products, each once: `Water`, `Soda × 2`. Products without a name are left out. */
export function listProductNames(goods: readonly Goods[]): string[] {
  const counts = new Map<string, number>()
  for (const { spmc } of goods) {
    const name = typeof spmc === 'string' ? spmc.trim() : ''
    if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => (count > 1 ? `${name} × ${count}` : name))
}

/** Formats the products in one line, for an order without a description; null if none has a name. */
export function formatProducts(goods: readonly Goods[]): string | null {
  const characters = Array.from(listProductNames(goods).join(', '))
  if (characters.length === 0) return null
  return characters.length <= MAX_LINE_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MAX_LINE_CHARACTERS - 1).join('')}…`
}
