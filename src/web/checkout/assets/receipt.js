// The way on to the merchant after a few seconds, which the customer can stop; and the print button.
;(() => {
  const print = document.getElementById('print')
  print.hidden = false
  print.addEventListener('click', () => window.print())

  const onward = document.getElementById('onward')
  if (!onward) return
  const link = document.getElementById('forward')
  const stay = document.getElementById('stay')
  const line = onward.querySelector('[data-text]')
  let left = Number(onward.dataset.seconds)
  let ticking

  function stop() {
    clearInterval(ticking)
    line.hidden = true
    stay.hidden = true
  }

  function tick() {
    left -= 1
    if (left > 0) {
      line.textContent = line.dataset.text.replace('{seconds}', left)
      return
    }
    stop()
    link.click() // As the link itself goes: the same bytes, and no word of where it came from.
  }

  // Whoever came back from the merchant wants to see the receipt, not to be sent away again.
  const [visit] = performance.getEntriesByType('navigation')
  if (visit && visit.type === 'back_forward') return stop()
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) stop()
  })
  stay.hidden = false
  stay.addEventListener('click', () => {
    stop()
    link.focus()
  })
  ticking = setInterval(tick, 1000)
})()
