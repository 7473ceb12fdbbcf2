// Asking for a payment: a keypad under the amount, and a sound when the payment has ended.
;(() => {
  for (const one of document.querySelectorAll('[data-scripted]')) one.hidden = false

  const box = document.querySelector('[data-keypad]')
  const amount = box?.querySelector('input[name="amount"]')
  if (amount) {
    const digits = () => amount.value.replace(/[^0-9]/g, '').replace(/^0+/, '')
    const write = (text) => {
      amount.value = text.replace(/\B(?=(\d{3})+$)/g, ',')
    }
    const press = (key) =>
      write(key === '⌫' ? digits().slice(0, -1) : (digits() + key).slice(0, 10).replace(/^0+/, ''))
    const keypad = document.createElement('div')
    keypad.className = 'keypad'
    keypad.setAttribute('role', 'group')
    keypad.setAttribute('aria-label', box.dataset.keypad)
    for (const key of ['1', '2', '3', '4', '5', '6', '7', '8', '9', '00', '0', '⌫']) {
      const button = document.createElement('button')
      button.type = 'button'
      // Who has keys types the amount.
      button.tabIndex = -1
      button.textContent = key
      if (key === '⌫') button.setAttribute('aria-label', box.dataset.erase)
      button.addEventListener('click', () => press(key))
      keypad.append(button)
    }
    amount.closest('.field').append(keypad)
    // The keypad is there already: the phone's own keyboard would cover it.
    if (matchMedia('(pointer: coarse)').matches) amount.setAttribute('inputmode', 'none')
  }

  const asked = document.querySelector('.asked')
  if (!asked) return
  if (asked.querySelector('[data-ended]')) return
  // The part is replaced by its newer self.
  const watcher = new MutationObserver(() => {
    const ended = document.querySelector('.asked [data-ended]')
    if (!ended) return
    watcher.disconnect()
    window.sounds.open()
    window.sounds.play(ended.dataset.ended === 'paid')
  })
  watcher.observe(asked.parentNode, { childList: true, subtree: true })
})()
