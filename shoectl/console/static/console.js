// Keeps a page as the table is: fetches its parts when the stream says that something changed, and replaces what is
// another, and only that. Forms work without it; with it they are sent from the page, by touch or by key.
"use strict";

(() => {
  const REGIONS = ["top", "live", "answers", "irregular", "layout", "foot", "sheet", "report", "faults", "devices", "table"];
  const AGAIN_MS = 250; // a second press within it is a slip
  const SILENT_MS = 25000; // the table says something every ten seconds
  const PATIENCE_MS = 10000; // for one answer
  const TRY_MS = 3000; // how often a table that is lost is looked for
  const root = document.getElementById("parts");
  if (!root) return;
  document.documentElement.classList.add("js");

  const served = new Map(); // what the server said of each region last
  const place = (id, within = document) => within.getElementById ? within.getElementById(id) : within.querySelector("#" + id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  let key = "";
  let sentAt = -AGAIN_MS;

  // ---- what the server says, onto the page ----

  function remember() {
    for (const id of REGIONS) {
      const part = place(id);
      if (part) served.set(id, part.outerHTML);
    }
    key = place("answers")?.dataset.key ?? "";
  }

  function show(fresh, refused) {
    const form = document.activeElement?.closest("#answers, #sheet");
    const changed = [];
    const next = place("answers", fresh)?.dataset.key ?? "";
    for (const id of REGIONS) {
      const part = place(id), other = place(id, fresh);
      if (!part || !other || served.get(id) === other.outerHTML) continue;
      if (id === "report" && part.matches(":popover-open")) {
        for (const field of all("input[type=hidden]", other)) {
          const own = part.querySelector(`input[name="${field.name}"]`);
          if (own) own.value = field.value;
        }
        continue;
      }
      served.set(id, other.outerHTML);
      put(part, other);
      changed.push(id);
    }
    const now = place("now"), otherNow = place("now", fresh);
    if (now && otherNow) now.className = otherNow.className;
    for (const id of ["top", "main", "foot"]) {
      const part = place(id), other = place(id, fresh);
      if (part && other) part.toggleAttribute("inert", other.hasAttribute("inert"));
    }
    if (refused || next !== key) say(place("said", fresh));
    const title = place("top", fresh)?.dataset.title;
    if (title) document.title = title;
    const stepped = next !== key;
    key = next;
    dress();
    if (changed.includes("answers") || changed.includes("sheet")) settle(form || stepped && !typing());
  }

  function put(part, other) {
    const copy = document.importNode(other, true);
    if (part.id === "live" && part.getAttribute("role") === copy.getAttribute("role")) {
      part.replaceChildren(...copy.childNodes); // a live region has to stay to be heard
    } else {
      part.replaceWith(copy);
    }
  }

  function say(other) {
    const said = place("said");
    if (said && other) said.replaceChildren(...document.importNode(other, true).childNodes);
  }

  function settle(wanted) {
    if (place("report")?.matches(":popover-open")) return;
    const count = document.querySelector("[data-count]");
    if (count) count.focus({ preventScroll: true });
    else if (wanted) (document.querySelector("#answers [data-form]") ?? place("now"))?.focus({ preventScroll: true });
  }

  function typing() {
    const at = document.activeElement;
    return !!at && at.matches("input:not([type=radio]):not([type=checkbox]), textarea, select");
  }

  async function take(answer, refused = false) {
    if (answer.status === 401 || answer.url.includes("/signin")) return location.assign("/signin");
    const text = await answer.text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    if (place("top", fresh)) show(fresh, refused);
  }

  // ---- the stream ----

  let looking = false, again = false, sending = false, stream = null, heardAt = performance.now();

  const ask = (address, more) => fetch(address, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS), ...more });

  async function look() {
    if (looking || sending) { again = true; return; } // what was sent brings the page as it is then
    looking = true;
    try {
      do {
        again = false;
        await take(await ask(root.dataset.parts));
      } while (again);
      online(true);
    } catch {
      online(false);
    } finally {
      looking = false;
    }
  }

  function online(yes) {
    let bar = place("offline");
    if (yes) return bar?.remove();
    if (bar) return;
    bar = document.createElement("p");
    bar.id = "offline";
    bar.className = "mark stop";
    bar.setAttribute("role", "alert");
    bar.textContent = "The page has lost the table: what it shows may be old. It tries again by itself.";
    document.body.append(bar);
  }

  function listen() {
    stream?.close();
    heardAt = performance.now();
    stream = new EventSource("/api/v1/stream");
    const on = (name, then) => stream.addEventListener(name, () => { heardAt = performance.now(); then(); });
    on("view", look);
    on("open", look);
    on("alive", () => {});
    on("signed-out", () => location.assign("/signin"));
    stream.addEventListener("error", () => online(false));
  }

  // A line that is dead says nothing, not even that: whoever is silent for too long is asked anew.
  setInterval(() => {
    const silent = performance.now() - heardAt > SILENT_MS;
    if (silent) online(false);
    if (!place("offline")) return;
    if (silent || stream.readyState === EventSource.CLOSED) listen();
    look();
  }, TRY_MS);

  // ---- forms ----

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.method !== "post" || form.action.endsWith("/signout")) return;
    event.preventDefault();
    if (sending) return;
    sentAt = performance.now(); // the next seat as well: a second tap is not for it
    if (form.matches("[data-wagers]") && !wagers.enter(form)) return;
    sending = true;
    root.ariaBusy = "true";
    try {
      const body = new URLSearchParams(new FormData(form, event.submitter));
      place("report")?.matches(":popover-open") && place("report").hidePopover();
      const answer = await ask(form.action, { method: "POST", body });
      await take(answer, !answer.ok);
      if (!answer.ok) all("input[type=password], input[name=cards], input[name=again]", form).forEach((field) => {
        if (field.type !== "radio" && field.type !== "checkbox") field.value = "";
      });
    } catch {
      online(false);
      again = true;
    } finally {
      sending = false;
      root.ariaBusy = "false";
      if (again) look();
    }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".btn.go");
    if (button && event.detail > 1 && performance.now() - sentAt < AGAIN_MS * 2) event.preventDefault();
    const digit = event.target.closest("[data-digit]")?.dataset.digit;
    if (digit) type(place("sheet").querySelector("[data-count]"), digit);
  });

  document.addEventListener("input", (event) => {
    label(event.target.closest("[data-form]"));
    if ("opens" in event.target.dataset) event.target.form.querySelector(".amount input")?.focus();
  });

  function type(field, digit) {
    if (digit === "clear") field.value = "";
    else if (digit === "back") field.value = field.value.slice(0, -1);
    else if (field.value.length < field.maxLength) field.value += digit;
    label(field.form);
  }

  // The last button says what it does; it waits until there is something to enter.
  function label(form) {
    const button = form?.querySelector("[data-go]");
    if (!button || form.matches("[data-wagers]")) return;
    const text = button.querySelector("span");
    const count = form.querySelector("[data-count]");
    const taken = all("input[type=radio]:checked", form).map((one) => one.dataset.says).filter(Boolean);
    const ticks = all("input[type=checkbox]", form);
    const radios = all("input[type=radio]", form);
    if (count) text.textContent = count.value ? `Enter ${count.value}` : button.dataset.go;
    else if (ticks.length) text.textContent = ticks.some((one) => one.checked) ? "The low hand is set" : button.dataset.go;
    else text.textContent = taken[0] ?? button.dataset.go;
    button.disabled = (radios.length > 0 && !radios.some((one) => one.checked)) || (!!count && !count.value);
  }

  // ---- wagers: one seat at a time, with chips ----

  const wagers = {
    at: 0, active: null, form: null,

    begin(form) {
      if (this.form === form) return;
      this.form = form;
      this.at = 0;
      const bar = document.createElement("div");
      bar.className = "choices chipset";
      bar.setAttribute("role", "group");
      form.querySelector(".stack").append(bar);
      bar.addEventListener("click", (event) => {
        const button = event.target.closest("[data-add]");
        if (button) this.add(Number(button.dataset.add));
        else if (event.target.closest("[data-before]")) this.turn(this.at - 1);
      });
      form.addEventListener("focusin", (event) => event.target.dataset.chips && this.choose(event.target));
      form.addEventListener("input", (event) => { event.target.setCustomValidity(""); this.paint(); });
      this.turn(this.remembered());
    },

    // What was entered before somebody loaded the page again; the tab forgets it with the step.
    remembered() {
      const { step, at, amounts } = JSON.parse(sessionStorage.getItem("wagers") ?? "{}");
      if (step !== this.form.elements.ref.value) return 0;
      all("input", this.form).filter((one) => one.dataset.chips).forEach((one) => { one.value = amounts[one.name] ?? ""; });
      return Math.min(at, this.seats.length - 1);
    },

    keep() {
      const amounts = Object.fromEntries(all("input", this.form).filter((one) => one.dataset.chips).map((one) => [one.name, one.value]));
      sessionStorage.setItem("wagers", JSON.stringify({ step: this.form.elements.ref.value, at: this.at, amounts }));
    },

    get seats() { return all(".seat-wagers", this.form); },

    turn(at) {
      this.at = at;
      this.seats.forEach((seat, number) => seat.classList.toggle("on", number === at));
      this.choose(this.seats[at].querySelector("input"));
      this.form.focus({ preventScroll: true });
      const title = place("say");
      if (title) title.textContent = `Enter what seat ${this.seats[at].dataset.seat} has wagered.`;
    },

    choose(field) {
      this.active = field;
      all(".wager", this.form).forEach((one) => one.classList.toggle("on", one.contains(field)));
      this.paint();
    },

    add(value) {
      const field = this.active, now = Number(field.value) || 0, most = Number(field.dataset.most);
      field.value = value === 0 ? "" : now + value <= most ? now + value : now;
      field.setCustomValidity("");
      this.paint();
    },

    sum(seat) { return all("input", seat).reduce((total, field) => total + (Number(field.value) || 0), 0); },

    paint() {
      const field = this.active, bar = this.form.querySelector(".chipset"), now = Number(field.value) || 0;
      const chips = field.dataset.chips.split(" ").map(Number);
      bar.setAttribute("aria-label", `Chips on ${field.dataset.label}`);
      const buttons = chips.map((chip, at) => chipButton(`+ ${chip.toLocaleString("en")}`, at + 1, { add: chip }, now + chip > Number(field.dataset.most)));
      buttons.push(chipButton("Take off", 0, { add: 0 }, !now));
      if (this.at) buttons.push(chipButton("Seat before", "", { before: 1 }, false));
      bar.replaceChildren(...buttons);
      const seat = this.seats[this.at], total = this.sum(seat), last = this.at === this.seats.length - 1;
      const says = total ? `Seat ${seat.dataset.seat} wagers ${total.toLocaleString("en")}` : `Seat ${seat.dataset.seat} does not play`;
      const go = this.form.querySelector("[data-go] span");
      go.textContent = last ? `${says}; no more bets` : says;
      this.table();
      this.keep();
    },

    // the layout shows what is entered so far
    table() {
      this.seats.forEach((seat, at) => {
        const own = document.querySelector(`#layout [data-seat="${seat.dataset.seat}"]`);
        if (!own) return;
        own.classList.toggle("on", at === this.at);
        own.querySelector("h3 span").textContent = at === this.at ? "wagering" : at === this.at + 1 ? "next" : at > this.at ? "to come" : this.sum(seat) ? "in" : "no player";
        own.querySelector(".wagers")?.remove();
        const list = document.createElement("ul");
        const placed = all("input", seat).filter((one) => Number(one.value));
        list.className = placed.length > (own.closest(".n6, .n7") ? 2 : 4) ? "wagers many" : "wagers";
        for (const field of placed) {
          const item = document.createElement("li"), chip = document.createElement("b");
          chip.className = "chip";
          chip.textContent = Number(field.value).toLocaleString("en");
          item.append(chip, " " + field.dataset.label);
          list.append(item);
        }
        if (list.children.length) own.append(list);
      });
    },

    // Whether a seat wagers within the limits, or nothing; the first field that does not says so.
    within(seat) {
      for (const field of all("input", seat)) {
        const amount = Number(field.value), { label, least, most } = field.dataset;
        if (!amount || (amount >= Number(least) && amount <= Number(most))) continue;
        this.choose(field);
        field.setCustomValidity(`${label}: ${least} to ${most}, or nothing`);
        field.reportValidity();
        return false;
      }
      return true;
    },

    // Whether all seats are in, so that the form may go.
    enter(form) {
      if (form === this.form && !this.within(this.seats[this.at])) return false;
      if (form !== this.form || this.at === this.seats.length - 1) return true;
      this.turn(this.at + 1);
      return false;
    },
  };

  function chipButton(text, letter, data, disabled) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn";
    button.disabled = disabled;
    Object.assign(button.dataset, data);
    button.textContent = text;
    if (letter !== "") {
      const hint = document.createElement("kbd");
      hint.textContent = letter;
      button.append(" ", hint);
      button.setAttribute("aria-keyshortcuts", letter);
    }
    return button;
  }

  // ---- pads, for faces and numbers that are entered by touch ----

  const SUITS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
  const RANKS = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"];

  // A row of buttons for these fields: they write into the one that was touched last. `act` gets that field.
  function padOf(name, label, fields) {
    const pad = document.createElement("div");
    pad.className = name;
    pad.setAttribute("role", "group");
    pad.setAttribute("aria-label", label);
    let active = fields[0];
    for (const field of fields) field.addEventListener("focus", () => { active = field; });
    const add = (kind, text, says, act) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = `btn ${kind}`;
      button.textContent = text;
      if (says) button.setAttribute("aria-label", says);
      button.addEventListener("click", () => { act(active); active.dispatchEvent(new Event("input", { bubbles: true })); });
      pad.append(button);
    };
    return { pad, add };
  }

  function cardPad(fields) {
    const { pad, add } = padOf("cardpad", "Ranks and suits", fields);
    let rank = "";
    const whole = (field) => field.maxLength > 0 ? [] : field.value.trim().split(/[ ,]+/).filter((card) => /[shdc]$/i.test(card));
    for (const one of RANKS) {
      add("rank", one, "", (field) => { rank = one; field.value = [...whole(field), rank].join(" "); });
    }
    for (const [suit, name] of Object.entries(SUITS)) {
      add(`suit ${suit}`, { s: "♠", h: "♥", d: "♦", c: "♣" }[suit], name, (field) => {
        if (!rank) return;
        field.value = [...whole(field), rank + suit].join(" ") + (field.maxLength > 0 ? "" : " ");
        rank = "";
      });
    }
    add("suit back", "⌫", "take the last one back", (field) => {
      rank = "";
      field.value = field.maxLength > 0 ? "" : field.value.trim().split(/[ ,]+/).slice(0, -1).join(" ");
    });
    return pad;
  }

  function digitPad(fields) {
    const { pad, add } = padOf("digitpad", "Digits", fields);
    for (const one of "1234567890") add("digit", one, "", (field) => { field.value += one; });
    add("digit back", "⌫", "take the last one back", (field) => { field.value = field.value.slice(0, -1); });
    return pad;
  }

  // ---- keys ----

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const named = event.key.length > 1 && /^F\d+$/.test(event.key);
    if (named) return press(event, event.key);
    if (place("report")?.matches(":popover-open")) return;
    if (event.key === "Enter") return enter(event);
    if (event.key.length === 1 && !typing() && document.querySelector("#answers form, #sheet form")) press(event, event.key.toUpperCase());
  });

  function press(event, name) {
    const within = name.length > 1 ? document : place("answers");
    const target = all(`[aria-keyshortcuts="${CSS.escape(name)}"]`, within)
      .find((one) => one.offsetParent !== null && !one.disabled && !one.closest("[inert]"));
    if (!target) return;
    event.preventDefault();
    if (target.dataset.chips) wagers.choose(target);
    else if (target.matches("input:not([type=radio]):not([type=checkbox])")) target.focus();
    else target.click();
  }

  function enter(event) {
    const at = document.activeElement;
    if (at?.matches("button, a, summary, [type=password]") || (typing() && !at.closest("[data-wagers]"))) return;
    const button = document.querySelector("#sheet .btn.go, #answers .btn.go");
    if (!button || button.disabled) return;
    event.preventDefault();
    if (performance.now() - sentAt < AGAIN_MS) return;
    button.form.requestSubmit(button);
  }

  // ---- what a fresh part is given ----

  function dress() {
    for (const form of all("[data-form]")) {
      if (form.matches("[data-wagers]")) wagers.begin(form);
      else label(form);
    }
    if (wagers.form?.isConnected) wagers.table();
    if (document.body.matches(".dealer")) all("#answers form, #report form").forEach(pads);
    clock();
  }

  // Pads stand below the fields that they are for.
  function pads(form) {
    const of = (selector) => all(selector, form).filter((field) => field.closest(".field, .signature"));
    for (const [fields, pad] of [[of("[name=cards], [name=again]"), cardPad], [of("[name=floor], [name=pin]"), digitPad], [of("[data-kind=number]"), digitPad]]) {
      const last = fields.at(-1)?.closest(".signature") ?? fields.at(-1)?.closest(".field");
      if (last && !last.nextElementSibling?.matches(".cardpad, .digitpad")) last.after(pad(fields));
    }
  }

  function clock() {
    const now = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    for (const one of all("[data-clock]")) if (one.textContent !== now) one.textContent = now;
  }

  remember();
  dress();
  if (document.body.matches(".dealer")) settle(true);
  setInterval(clock, 10000);
  setInterval(() => document.querySelector("[data-moving]") && !document.hidden && look(), 2000); // no event tells of it
  listen();
})();
