/* What a measure asks of a page. Evaluates to an object of functions. */
(() => {
  const shown = (selector) =>
    Array.from(document.querySelectorAll(selector)).filter((element) => element.checkVisibility());

  const named = (element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 120);

  const STOPS =
    "a[href], button:not([disabled]), input:not([type=hidden]), select, textarea, summary, [tabindex='0']";

  /* Colours arrive as rgb(), rgba() or oklab(); a canvas knows them all. */
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    return pixel.getImageData(0, 0, 1, 1).data;
  };
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

  const faultOf = (element) => {
    element.focus({ focusVisible: true });
    if (document.activeElement !== element) return "does not take the focus";
    const style = getComputedStyle(element);
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) return "has no ring";
    const ratio = contrast(style.outlineColor, backdrop(element.parentElement));
    if (ratio < 3) return `has a ring of contrast ${ratio.toFixed(2)}`;
    const box = element.getClientRects()[0];
    const middle = (start, end, room) => (Math.max(start, 0) + Math.min(end, room)) / 2;
    const x = middle(box.left, box.right, document.documentElement.clientWidth);
    const y = middle(box.top, box.bottom, document.documentElement.clientHeight);
    const hit = document.elementFromPoint(x, y);
    return hit && element.contains(hit) ? "" : `is covered by ${hit ? named(hit) : "the edge"}`;
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

    /* With wide spacing; and where the window is wide, with text of twice its size. */
    reflowFaults: () => {
      document.adoptedStyleSheets = [SPACING];
      const spaced = [...sideways(), ...lost()].map((fault) => `spaced, ${fault}`);
      document.adoptedStyleSheets = [];
      if (innerWidth < 640) return spaced;
      document.documentElement.style.fontSize = "200%";
      const large = [...sideways(), ...lost()].map((fault) => `with 200 % text, ${fault}`);
      document.documentElement.style.fontSize = "";
      return [...spaced, ...large];
    },

    /* Forwards and backwards: a bar at the top covers only what is reached from below. */
    focusFaults: () => {
      const stops = shown(STOPS);
      const faults = [...stops, ...stops.toReversed()]
        .map((element) => [named(element), faultOf(element)])
        .filter(([, fault]) => fault)
        .map((found) => found.join(" "));
      document.activeElement.blur();
      return faults;
    },

    /* Rows of a list are alike, so the first ones stand for all. Where axe cannot tell what is
       behind a text, because a cell cuts it off or a line breaks it, the contrast is computed. */
    axeFaults: async (tags) => {
      const { violations, incomplete } = await axe.run(
        { include: [["html"]], exclude: [[".row:nth-child(n + 6)"]] },
        { runOnly: tags, resultTypes: ["violations", "incomplete"], preload: false }
      );
      const isReadable = (node) => {
        const element = document.querySelector(node.target[0]);
        return contrast(getComputedStyle(element).color, backdrop(element)) >= 4.5;
      };
      const open = incomplete.map((rule) => ({
        ...rule,
        nodes: rule.nodes.filter((node) => rule.id !== "color-contrast" || !isReadable(node)),
      }));
      return [...violations, ...open].flatMap((rule) =>
        rule.nodes.map((node) => {
          const checks = [...node.any, ...node.all, ...node.none];
          return `${rule.id}: ${checks.map((check) => check.message).join(" ")} ${node.html}`;
        })
      );
    },
  };
})()
