/* What a measure asks of a page, there in each page from its start. */
window.probes = (() => {
  const shown = (selector) =>
    Array.from(document.querySelectorAll(selector)).filter((element) => element.checkVisibility());

  const named = (element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 120);

  const STOPS =
    "a[href], button:not([disabled]), input:not([type=hidden]), select, textarea, summary, [tabindex='0']";

  const remembered = (find, known = new Map()) => (thing) => {
    if (!known.has(thing)) known.set(thing, find(thing));
    return known.get(thing);
  };

  /* Colours arrive as rgb(), rgba() or oklab(); a canvas knows them all. */
  const rgba = remembered((colour) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  });
  const luminance = (colour) => {
    const [r, g, b] = Array.from(rgba(colour).slice(0, 3), (part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const backdrop = (element) => {
    for (let part = element; part; part = part.parentElement) {
      const colour = getComputedStyle(part).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return "white";
  };

  const ringFault = (element) => {
    const style = getComputedStyle(element);
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) return "has no ring";
    const ratio = contrast(style.outlineColor, backdrop(element.parentElement));
    return ratio < 3 ? `has a ring of contrast ${ratio.toFixed(2)}` : "";
  };

  const coverFault = (element) => {
    const box = element.getClientRects()[0];
    const middle = (start, end, room) => (Math.max(start, 0) + Math.min(end, room)) / 2;
    const x = middle(box.left, box.right, document.documentElement.clientWidth);
    const y = middle(box.top, box.bottom, document.documentElement.clientHeight);
    const hit = document.elementFromPoint(x, y);
    return hit && element.contains(hit) ? "" : `is covered by ${hit ? named(hit) : "the edge"}`;
  };

  const focusFault = (element, ...further) => {
    element.focus({ focusVisible: true });
    if (document.activeElement !== element) return "does not take the focus";
    return [...further, coverFault].map((find) => find(element)).find(Boolean) ?? "";
  };

  /* By how many pixels the page is too wide, and the innermost element that makes it so. */
  const sideways = () => {
    const page = document.scrollingElement;
    const pixels = page.scrollWidth - page.clientWidth;
    if (pixels <= 0) return [];
    const beyond = shown("body *").filter(
      (element) => element.getBoundingClientRect().right > page.clientWidth + 0.5
    );
    return [`${pixels} px sideways ${beyond.length ? named(beyond.at(-1)) : ""}`];
  };

  /* Text that its box cuts off, but for lines that end in an ellipsis by design. */
  const lost = () =>
    shown("body *")
      .filter((element) => {
        const style = getComputedStyle(element);
        const cuts = /hidden|clip/;
        if (style.clipPath !== "none" || style.textOverflow === "ellipsis") return false;
        return (
          (cuts.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1) ||
          (cuts.test(style.overflowY) && element.scrollHeight > element.clientHeight + 1)
        );
      })
      .map((element) => `cuts off ${named(element)}`);

  /* The spacing that WCAG 1.4.12 asks a page to bear. */
  const SPACING = new CSSStyleSheet();
  SPACING.replaceSync(
    "* { line-height: 1.5 !important; letter-spacing: 0.12em !important;" +
      " word-spacing: 0.16em !important } p { margin-block-end: 2em !important }"
  );

  /* With wide spacing; and where the window is wide, with text of twice its size. */
  const reflowFaults = () => {
    document.adoptedStyleSheets = [SPACING];
    const spaced = [...sideways(), ...lost()].map((fault) => `spaced, ${fault}`);
    document.adoptedStyleSheets = [];
    if (innerWidth < 640) return spaced;
    document.documentElement.style.fontSize = "200%";
    const large = [...sideways(), ...lost()].map((fault) => `with 200 % text, ${fault}`);
    document.documentElement.style.fontSize = "";
    return [...spaced, ...large];
  };

  /* Forwards and backwards: a bar at the top covers only what is reached from below. */
  const focusFaults = () => {
    const stops = shown(STOPS);
    const faults = [
      ...stops.map((element) => [element, focusFault(element, ringFault)]),
      ...stops.toReversed().map((element) => [element, focusFault(element)]),
    ];
    document.activeElement.blur();
    return faults.filter(([, fault]) => fault).map(([element, fault]) => `${named(element)} ${fault}`);
  };

  const CONTRAST = "color-contrast";

  /* Rows of a list are alike, so the first ones stand for all; so do the first texts that look
     alike. Time grows with all that stands in a page, so the others are taken out of it meanwhile:
     they come last where they stand. */
  const REPEATED = ".row:nth-child(n + 6)";
  const ALIKE = 6;
  const withoutRepeated = async (find) => {
    const places = Array.from(document.querySelectorAll(REPEATED), (element) => [element.parentElement, element]);
    places.forEach(([, element]) => element.remove());
    const found = await find();
    places.forEach(([parent, element]) => parent.append(element));
    return found;
  };

  /* Texts and fields, and how each looks: all that its contrast depends on. It is as readable as
     another of the same class in the same class, of the same colour and size on the same ground,
     that axe leaves out for the same reason. */
  const looks = () => {
    const name = (element) => `${element.localName}.${element.getAttribute("class")}`;
    const ground = remembered((element) => {
      const { backgroundColor, backgroundImage, opacity, position, clipPath } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity, position, clipPath].join(" ");
      const below = element.parentElement ? ground(element.parentElement) : "";
      return own === "rgba(0, 0, 0, 0) none 1 static none" ? below : `${below} ${own}`;
    });
    const look = (element) => {
      const { color, fontSize, fontWeight, visibility } = getComputedStyle(element);
      const isLeftOut = element.closest(":disabled, [aria-disabled=true], [aria-hidden=true], [inert]");
      const names = [name(element.parentElement), name(element)];
      return [...names, color, fontSize, fontWeight, visibility, !isLeftOut, ground(element)].join(" ");
    };
    const isText = (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue.trim();
    const texts = shown("body *").filter(
      (element) =>
        element.matches("input, select, textarea") || Array.from(element.childNodes).some(isText)
    );
    return new Map(texts.map((element) => [element, look(element)]));
  };

  /* Looks that axe found readable on pages that this window showed before. */
  const READABLE = "readable";
  const readable = () => new Set(JSON.parse(sessionStorage.getItem(READABLE) ?? "[]"));

  /* Where axe cannot tell what is behind a text, because a cell cuts it off or a line breaks it,
     the contrast is computed. */
  const isReadable = (element) =>
    contrast(getComputedStyle(element).color, backdrop(element)) >= 4.5;

  const said = (rule) =>
    rule.nodes.map((node) => {
      const checks = [...node.any, ...node.all, ...node.none];
      return `${rule.id}: ${checks.map((check) => check.message).join(" ")} ${node.html}`;
    });

  /* Some texts of each look that is not among the known ones. */
  const textsUnlike = (known) => {
    const counts = new Map();
    return [...looks()].filter(([, look]) => {
      counts.set(look, (counts.get(look) ?? 0) + 1);
      return !known.has(look) && counts.get(look) <= ALIKE;
    });
  };

  /* What axe says by rules with these tags; and of contrast, which is dear, anyway, but only of
     texts that look unlike all that it found readable. */
  const axeFaults = async (tags) => {
    const known = readable();
    const unlike = textsUnlike(known);
    if (!tags.length && !unlike.length) return [];
    unlike.forEach(([element]) => element.setAttribute("data-unlike", ""));
    axe.configure({ rules: [{ id: CONTRAST, selector: "[data-unlike]" }] });
    const { violations, incomplete } = await axe.run(
      { include: [["html"]] },
      {
        runOnly: tags.length ? tags : { type: "rule", values: [CONTRAST] },
        resultTypes: ["violations", "incomplete"],
        preload: false,
        elementRef: true,
      }
    );
    unlike.forEach(([element]) => element.removeAttribute("data-unlike"));
    const doubted = [...violations, ...incomplete]
      .filter((rule) => rule.id === CONTRAST)
      .flatMap((rule) => rule.nodes.map((node) => node.element));
    for (const [element, look] of unlike) if (!doubted.includes(element)) known.add(look);
    sessionStorage.setItem(READABLE, JSON.stringify([...known]));
    const open = incomplete.map((rule) => ({
      ...rule,
      nodes: rule.nodes.filter((node) => rule.id !== CONTRAST || !isReadable(node.element)),
    }));
    return [...violations, ...open].flatMap(said);
  };

  return {
    openFolds: () => shown("details").forEach((fold) => { fold.open = true; }),

    /* Keys that the foot of the page speaks of and that do nothing on it. */
    idleKeys: () => {
      const bound = (name) =>
        Array.from(document.querySelectorAll(`[${name}]`), (element) => element.getAttribute(name).split("|"));
      const keys = [...bound("data-key"), ...bound("data-key-focus")].flat();
      if (document.querySelector("[data-row]")) keys.push("j", "k", "o");
      return Array.from(document.querySelectorAll(".footer dt kbd"), (hint) => hint.textContent)
        .filter((key) => !keys.includes(key));
    },

    stops: () => shown(STOPS).map(named),

    stop: () => named(document.activeElement),

    /* What is wrong with the page as it is shown. */
    lookFaults: async (tags) => [
      ...reflowFaults(),
      ...focusFaults(),
      ...(await withoutRepeated(() => axeFaults(tags))),
    ],
  };
})();
