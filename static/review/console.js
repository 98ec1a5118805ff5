/* Keys, submit guard, copying, age of the page. Makes no request and builds no markup. */
"use strict";
(() => {
  const root = document.documentElement;
  const status = document.querySelector("[data-status]");
  const SEQUENCE_MS = 1500;
  const STALE_MS = 5 * 60 * 1000;
  let isSubmitted = false;

  /* Keys. A link follows `data-key`; anything gets the focus by `data-key-focus`; no key submits. */

  let pending = "";
  let pendingSince = 0;

  const bound = (name, key) =>
    Array.from(document.querySelectorAll(`[${name}]`)).find((element) =>
      element.getAttribute(name).split("|").includes(key)
    );

  const isTyping = (element) =>
    element.isContentEditable || /^(?:input|textarea|select)$/.test(element.localName);

  const rows = () => Array.from(document.querySelectorAll("[data-row]"));

  const currentRow = () => rows().findIndex((link) => link.closest("tr").contains(document.activeElement));

  const moveTo = (index) => {
    const all = rows();
    if (all.length) all[Math.min(Math.max(index, 0), all.length - 1)].focus();
  };

  const onRows = {
    j: () => moveTo(currentRow() + 1),
    k: () => moveTo(currentRow() < 0 ? 0 : currentRow() - 1),
    o: () => rows()[Math.max(currentRow(), 0)].click(),
  };

  const act = (key) => {
    const link = bound("data-key", key);
    const target = bound("data-key-focus", key);
    if (link) link.click();
    else if (target) target.focus();
    else if (rows().length && Object.hasOwn(onRows, key)) onRows[key]();
    else return false;
    return true;
  };

  document.addEventListener("keydown", (event) => {
    const key = event.key;
    if (root.dataset.keys !== "on" || isSubmitted || key.length !== 1) return;
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing) return;
    if (event.defaultPrevented || isTyping(event.target)) return;
    const isSecond = pending && event.timeStamp - pendingSince < SEQUENCE_MS;
    const full = isSecond ? `${pending} ${key}` : key;
    pending = "";
    if (act(full)) {
      event.preventDefault();
    } else if (!isSecond && document.querySelector(`[data-key^="${CSS.escape(key)} "]`)) {
      pending = key;
      pendingSince = event.timeStamp;
    }
  });

  /* Submit guard. The server answers a second submit like the first; this spares the wait. */

  const buttons = (form) => Array.from(form.querySelectorAll("button"));

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.hasAttribute("data-guard")) return;
    if (isSubmitted) {
      event.preventDefault();
      return;
    }
    isSubmitted = true;
    for (const button of buttons(form)) button.setAttribute("aria-disabled", "true");
    const label = event.submitter && event.submitter.querySelector("[data-label]");
    if (label) {
      label.hidden = true;
      const saving = document.createElement("span");
      saving.setAttribute("data-saving", "");
      saving.textContent = status.dataset.saving;
      label.after(saving);
    }
  });

  window.addEventListener("pageshow", () => {
    isSubmitted = false;
    for (const button of document.querySelectorAll("[data-guard] button")) {
      button.removeAttribute("aria-disabled");
      for (const label of button.querySelectorAll("[data-label]")) label.hidden = false;
      for (const saving of button.querySelectorAll("[data-saving]")) saving.remove();
    }
  });

  /* Copying gives the stored text: a box becomes its character again, our own words are left out. */

  const stored = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (node.hasAttribute("data-skip")) return "";
      if (node.hasAttribute("data-char")) {
        return String.fromCodePoint(Number.parseInt(node.getAttribute("data-char"), 16));
      }
    }
    return Array.from(node.childNodes, stored).join("");
  };

  document.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return;
    const range = selection.getRangeAt(0);
    const common = range.commonAncestorContainer;
    const within = common.nodeType === Node.ELEMENT_NODE ? common : common.parentElement;
    if (!within.closest("[data-text]")) return;
    event.clipboardData.setData("text/plain", stored(range.cloneContents()));
    event.preventDefault();
  });

  if (navigator.clipboard) {
    for (const button of document.querySelectorAll("[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(button.dataset.copy);
        status.textContent = status.dataset.copied;
        setTimeout(() => status.replaceChildren(), 3000);
      });
    }
  }

  /* A page that was long in the background says how old it is, and offers a link. */

  const drawnAt = Date.now();
  let hiddenAt = 0;

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      hiddenAt = Date.now();
    } else if (status.dataset.refresh && hiddenAt && Date.now() - hiddenAt >= STALE_MS) {
      const link = document.createElement("a");
      link.href = status.dataset.refresh;
      link.textContent = status.dataset.refreshLabel;
      const minutes = Math.floor((Date.now() - drawnAt) / 60000);
      status.replaceChildren(`${status.dataset.age.replace("{n}", minutes)} `, link);
    }
  });

  /* A region that scrolls sideways can take the focus, so that the arrow keys scroll it. */

  for (const region of document.querySelectorAll("[data-scrolls]")) {
    if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
  }
})();
