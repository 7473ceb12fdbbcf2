import assert from 'node:assert/strict'
import test from 'node:test'
import { cardState, type GiftCard, isUsable } from './gift-card.ts'

const NOW = new Date('2026-03-10T21:00:00.000Z')
const BEFORE = new Date(NOW.getTime() - 1)
const CARD: GiftCard = {
  merchantId: 1,
  id: 'gc_1',
  last4: 'ABCD',
  value: 1000,
  balance: 400,
  reserved: 0,
  spent: 600,
  notes: null,
  expiresAt: new Date(NOW.getTime() + 1),
  deactivatedAt: null,
  createdAt: BEFORE,
}

test('a card is in one state and pays only while it is active and has something left', () => {
  for (const [difference, state, usable] of [
    [{}, 'active', true],
    [{ expiresAt: NOW }, 'expired', false],
    [{ expiresAt: BEFORE }, 'expired', false],
    [{ deactivatedAt: BEFORE }, 'deactivated', false],
    [{ deactivatedAt: BEFORE, expiresAt: BEFORE }, 'deactivated', false],
    [{ balance: 0, spent: 1000 }, 'spent', false],
    [{ balance: 0, spent: 1000, expiresAt: BEFORE }, 'spent', false],
    [{ balance: 0, reserved: 400 }, 'active', false],
    [{ balance: 0, reserved: 400, expiresAt: BEFORE }, 'expired', false],
    [{ balance: 1, reserved: 399 }, 'active', true],
  ] as const) {
    const card = { ...CARD, ...difference }
    assert.deepEqual([cardState(card, NOW), isUsable(card, NOW)], [state, usable], JSON.stringify(difference))
  }
})
