package dispatch

import "context"

// tidyEvery is how often leases and launch records of ended runs are removed, in
// seconds.
const tidyEvery = 3600

// tidy removes what ended runs have left in the state root. It is no part of the
// board's truth, so its failure is told and stops nothing.
func (p *pass) tidy(ctx context.Context) {
	now := p.Now()
	if !p.writes() || p.tidied > 0 && now-p.tidied < tidyEvery && now >= p.tidied {
		return
	}
	p.tidied = now
	err := p.runs().Tidy(func(task string, id int64) bool {
		run, err := p.Board.Run(ctx, id)
		return err == nil && run.TaskID == task && run.EndedAt != nil
	})
	if err != nil {
		p.Errors = append(p.Errors, err.Error())
	}
}
