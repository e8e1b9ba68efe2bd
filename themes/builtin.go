package themes

// Dark is made for dark terminals. States differ in lightness as well as in
// hue, and the pairs that matter (ready and blocked, reconciled and
// quarantined) lie on the blue and orange axis that colour-blind eyes keep.
var Dark = Theme{
	Name: "dark", Dark: true, Base: "#16181d",
	Text: "#e3e6eb", Muted: "#9aa3b0", Faint: "#3d434d",
	Accent: "#7cc4ff", OnAccent: "#0d1117",
	Selection: "#26303c", Raised: "#1e2229",
	Waiting: "#a7b0bd", Ready: "#7cc4ff", Running: "#7fd6b4", Blocked: "#f5a36c", Review: "#c9a9f5", Done: "#93a3b5",
	Attention: "#f2cc60", Danger: "#ff8f8f",
	Reconciled: "#6fd3e8", OnReconciled: "#0b1a1f",
	Quarantined: "#ffb454", OnQuarantined: "#1f1300",
}

// Light is Dark's counterpart for light terminals.
var Light = Theme{
	Name: "light", Base: "#fbfbf9",
	Text: "#1f2328", Muted: "#59626d", Faint: "#cdd2d8",
	Accent: "#0860b8", OnAccent: "#ffffff",
	Selection: "#dfeaf6", Raised: "#eef0f2",
	Waiting: "#56606b", Ready: "#0860b8", Running: "#0b6b4c", Blocked: "#a3420a", Review: "#6f42c1", Done: "#525f6e",
	Attention: "#7a5600", Danger: "#b3202c",
	Reconciled: "#0a6779", OnReconciled: "#ffffff",
	Quarantined: "#9a4a00", OnQuarantined: "#ffffff",
}

// HighContrastDark keeps every text at 7 to 1 or better.
var HighContrastDark = Theme{
	Name: "high-contrast", Dark: true, Base: "#000000",
	Text: "#ffffff", Muted: "#d6d6d6", Faint: "#8a8a8a",
	Accent: "#ffe14d", OnAccent: "#000000",
	Selection: "#00334f", Raised: "#1a1a1a",
	Waiting: "#e0e0e0", Ready: "#8fd3ff", Running: "#8effc1", Blocked: "#ffb38a", Review: "#e3c7ff", Done: "#d0d0d0",
	Attention: "#ffe14d", Danger: "#ffb0b0",
	Reconciled: "#7ff0ff", OnReconciled: "#000000",
	Quarantined: "#ffc14d", OnQuarantined: "#000000",
}

// HighContrastLight is the same for light terminals.
var HighContrastLight = Theme{
	Name: "high-contrast", Base: "#ffffff",
	Text: "#000000", Muted: "#2e2e2e", Faint: "#6e6e6e",
	Accent: "#003f8a", OnAccent: "#ffffff",
	Selection: "#d4e6ff", Raised: "#ececec",
	Waiting: "#2b2b2b", Ready: "#003f8a", Running: "#00472f", Blocked: "#6d2500", Review: "#45187f", Done: "#303030",
	Attention: "#523600", Danger: "#7d000c",
	Reconciled: "#004655", OnReconciled: "#ffffff",
	Quarantined: "#632c00", OnQuarantined: "#ffffff",
}

// Monochrome uses no colour at all.
var Monochrome = Theme{Name: "monochrome", Dark: true, Plain: true}
