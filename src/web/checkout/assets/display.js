// biome-ignore-all lint: newer words would be put into it.
// For the browsers of machines, many of them ten years old: ES5 alone. Asks how the order stands; when that is news, takes the
// new screen out of the page. What is shown is decided by the service: a screen that was there stays when the line is lost.
;(function () {
  var SLOWEST = 30000
  var GIVE_UP = 10000
  var LOST_AFTER = 3 // Misses in a row, until the screen says so.
  var began = Date.now()
  var misses = 0

  function screen() {
    return document.getElementById('screen')
  }

  function told(name) {
    return screen().getAttribute(name)
  }

  // Calls `done` once: with the request when the answer is good, else with null.
  function get(url, type, done) {
    var request = new XMLHttpRequest()
    var waiting = setTimeout(function () {
      end(null)
      request.abort()
    }, GIVE_UP)
    function end(answer) {
      if (waiting === null) return
      clearTimeout(waiting)
      waiting = null
      done(answer)
    }
    request.open('GET', url, true)
    request.responseType = type
    request.onreadystatechange = function () {
      if (request.readyState === 4) end(request.status === 200 ? request : null)
    }
    request.send()
  }

  function ask() {
    get(told('data-state'), '', function (request) {
      var seen = request && seenIn(request.responseText)
      if (!seen) return miss()
      if (seen === told('data-seen')) return hit()
      get(location.href, 'document', exchange)
    })
  }

  function seenIn(text) {
    var state = readJson(text)
    return (
      state &&
      [
        state.payment_status,
        state.vending_status,
        state.expired,
        state.invalidated,
        state.vending_error || '',
      ].join(' ')
    )
  }

  function readJson(text) {
    try {
      return JSON.parse(text)
    } catch (_broken) {
      return null
    }
  }

  function exchange(request) {
    if (!request) return miss()
    // A browser that cannot take a page apart loads it.
    var page = request.response
    if (typeof page !== 'object' || page === null) return location.reload()
    var fresh = page.getElementById('screen')
    if (!fresh) return miss()
    var old = screen()
    old.parentNode.replaceChild(document.importNode(fresh, true), old)
    document.title = page.title
    began = Date.now()
    hit()
  }

  function hit() {
    misses = 0
    look()
    setTimeout(ask, Number(told('data-every')))
  }

  function miss() {
    misses += 1
    look()
    setTimeout(ask, Math.min(SLOWEST, Number(told('data-every')) * Math.pow(2, misses)))
  }

  function look() {
    var plain = screen().className.replace(' lost', '')
    screen().className = misses < LOST_AFTER ? plain : [plain, 'lost'].join(' ')
  }

  // Counts from when the screen came, not by the machine's clock, which may be years off.
  function tick() {
    var place = document.getElementById('left')
    if (!place) return
    var all = Number(place.getAttribute('data-left'))
    var passed = Math.floor((Date.now() - began) / 1000)
    var left = Math.max(0, Math.min(all, all - passed))
    var seconds = left % 60
    var time = Math.floor(left / 60) + (seconds < 10 ? ':0' : ':') + seconds
    place.firstChild.nodeValue = place.getAttribute('data-text').replace('{time}', time)
    if (left <= 20) place.className = 'left soon'
  }

  setInterval(tick, 1000)
  setTimeout(ask, Number(told('data-every')))
})()
