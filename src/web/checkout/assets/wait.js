// Asks how the payment stands, and loads the page anew once it is decided. Nothing is decided here.
;(() => {
  const SOON = 2500
  const LATER = 5000
  const PATIENCE = 60000 // From then on ask less often.
  const GIVE_UP = 10000 // One question; the next may have better luck.
  const wait = document.getElementById('wait')
  const began = Date.now()
  let timer
  let asking = false

  const waitTime = () => (document.hidden || Date.now() - began > PATIENCE ? LATER : SOON)

  function again() {
    clearTimeout(timer)
    timer = setTimeout(ask, waitTime())
  }

  function ask() {
    if (asking) return
    asking = true
    Promise.race([fetch(wait.dataset.status, { cache: 'no-store' }), lost()])
      .then((answer) => (answer.ok ? answer.json() : {}))
      .then(look)
      .catch(() => {})
      .then(() => {
        asking = false
        again()
      })
  }

  const lost = () => new Promise((_, reject) => setTimeout(reject, GIVE_UP))

  function look({ status }) {
    if (!status || status === 'pending' || status === 'authorized') return
    location.replace(location.pathname + location.search)
  }

  // Back from typing the PIN: the answer may be there already.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) ask()
  })
  again()

  const count = document.getElementById('count')
  if (!count) return
  const line = count.querySelector('[data-seconds]')
  const bar = count.querySelector('progress')
  const ticking = setInterval(tick, 1000)

  // By the clock and not by ticks: a phone that slept has not stopped the time.
  function tick() {
    const left = Number(line.dataset.seconds) - Math.round((Date.now() - began) / 1000)
    if (left <= 0) return end()
    bar.value = left
    line.textContent = line.dataset.text.replace('{seconds}', left)
  }

  function end() {
    clearInterval(ticking)
    count.hidden = true
    document.getElementById('steps').hidden = true
    const headline = document.getElementById('headline')
    headline.textContent = headline.dataset.later
    document.getElementById('long').hidden = false
  }
})()
