# SPDX-License-Identifier: LGPL-2.1-or-later
import numpy as np, time
import octref as o
rng=np.random.default_rng(0); ok=True
def chk(n,v,lim):
    global ok; g=v<=lim; ok&=bool(g); print(f"{'PASS' if g else 'FAIL'} {n}: {v:.3e} (limit {lim:g})")
N=512; lam=o.wavelength_axis(N,0.845,0.240/N); k,p=o.k_from_lambda(lam)
ku=o.uniform_k(k); y=rng.standard_normal((3,N)); x=rng.standard_normal((3,N))+1j*rng.standard_normal((3,N))
C=o.NUDFT(k); 
chk('uniform k: NUDFT == unitary FFT', abs(o.NUDFT(ku).t1(y)-o.UDFT(N).t1(y)).max(),1e-11)
def adj(op): 
    yy=y+1j*rng.standard_normal(y.shape); return abs(np.vdot(yy,op.t2(x))-np.vdot(op.t1(yy),x))/abs(np.vdot(op.t1(yy),x))
for n,op in [('NUDFT',C),('MNUDFT',o.NUDFT(k,'mnudft')),('FFT',o.UDFT(N))]: chk('adjoint '+n,adj(op),1e-12)
print('type-1/type-2 relative l2 error vs exact centred NUDFT (real random data), N=512:')
for ker in ('kb','gauss'):
    for R in (1.25,1.5,2.0):
        for W in (2,3,4,5,6,7):
            if ker=='kb' and (W/R)**2*(R-.5)**2<=.8: continue
            q=o.NUFFT(k,R,W,ker); e1=o.rel_err(q.t1(y),C.t1(y)); e2=o.rel_err(q.t2(x),C.t2(x)); a=adj(q)
            print(f'  {ker:5s} R={R} W={W} par={q.par:.4f}  t1 {e1:.2e} t2 {e2:.2e} adj {a:.1e}'); 
            chk('   adjoint',a,1e-12)
            if ker=='kb' and R==2.0: chk('   kb err',e1,10**(-(W-1.2)))
# numerically verify the KB Fourier pair and the Gaussian one
from scipy.integrate import quad; from scipy.special import i0
W,R=3,2; b=o.beatty_beta(R,W)
e=max(abs(2*quad(lambda u:i0(b*np.sqrt(1-(2*u/W)**2))/W*np.cos(2*np.pi*xi*u),0,W/2,limit=200)[0]-np.sinh(np.sqrt(b*b-(np.pi*W*xi)**2))/np.sqrt(b*b-(np.pi*W*xi)**2)) for xi in (0,.05,.1,.2,.25))
chk('KB FT = sinh(sqrt(b^2-(pi W m/Mr)^2))/sqrt(.)',e,1e-9)
# Hermitian
h=C.t1(y); chk('centred NUDFT of real data is Hermitian',abs(h[:,1:N//2]-h[:,:N//2:-1].conj()).max(),1e-11)
nv=o.NUDFT(k,'naive').t1(y); print('   naive (q=0..N-1) asymmetry |h(q)-conj h(N-q)|/|h|:',np.linalg.norm(nv[:,1:N//2]-nv[:,:N//2:-1].conj())/np.linalg.norm(nv))
m=o.NUDFT(k,'mnudft').t1(y); print('   MNUDFT minus centred NUDFT: differs in columns',np.flatnonzero(abs(m-h).max(0)>1e-10))
# db filters
for n in (2,4): 
    hh=o.daubechies(n); chk(f'db{n} orthonormal',abs(np.convolve(hh,hh[::-1])[2*n-1::2]-np.r_[1,np.zeros(n-1)]).max(),1e-10)
print('   db4 low-pass:',np.round(o.daubechies(4),10))
W4=o.Wavelet(256,4,4); chk('DWT orthonormal',abs(W4.mat@W4.mat.T-np.eye(256)).max(),1e-10)
xx=rng.standard_normal((5,256)); chk('DWT inverse',abs(W4.inv(W4.fwd(xx))-xx).max(),1e-10)
# shafer upsampling of a band-limited tone
t=np.arange(256); s=np.cos(2*np.pi*50*t/256+.3); chk('Shafer x2 upsample',abs(o.shafer_upsample(s)[0]-np.cos(2*np.pi*50*np.arange(512)/512+.3)).max(),1e-10)
# SpaRSA converges to the lasso solution & iterates Hermitian
mask=np.zeros(N,bool); mask[rng.choice(N,200,False)]=True
xt=np.zeros((1,N),complex); xt[0,[40,90,150]]=[300,100,50]; xt[0,[-40,-90,-150]]=[300,100,50]
yy=np.real(C.t2(xt))+rng.standard_normal((1,N)); 
xs,H=o.sparsa(C,mask,yy,tau=3,eta=400,history=True); g=C.t1((C.t2(xs)*mask-yy*mask))
kkt=np.where(abs(xs)>1e-9,abs(g+3*xs/np.maximum(abs(xs),1e-12)),np.maximum(abs(g)-3,0)).max(); chk('SpaRSA KKT residual',kkt,1e-6)
x15=o.sparsa(C,mask,yy,tau=3,eta=15); chk('iterates Hermitian',abs(x15[:,1:N//2]-x15[:,:N//2:-1].conj()).max(),1e-10)
f1=o.sparsa(C,mask,yy,3,15,history=True)[1][:,0]; f2=o.sparsa(C,mask,yy,3,15,rule='line17',history=True)[1][:,0]; fs=H[-1,0]
print('   (f-f*)/f* after 5/10/15 its: eq14',[f'{(f1[i]-fs)/fs:.2e}' for i in (4,9,14)],' line17(no squares)',[f'{(f2[i]-fs)/fs:.2e}' for i in (4,9,14)])
# Toeplitz form (normal operator by 2N FFT) == exact
xT=o.sparsa_toeplitz(k,mask,yy,3,15); chk('Toeplitz SpaRSA == exact NUDFT SpaRSA',abs(xT-x15).max()/abs(x15).max(),1e-9)
xH=o.sparsa_toeplitz(k,mask,yy,3,15,half=True); chk('half-size real-FFT Toeplitz SpaRSA == exact',abs(xH[:,:N//2]-x15[:,:N//2]).max()/abs(x15).max(),1e-9)
# ADM vs. SpaRSA on same lasso (orthonormal rows, uniform)
U=o.UDFT(N); yu=np.real(U.t2(xt))+rng.standard_normal((1,N)); yu=yu*mask
xa=o.yall1_adm(lambda c:U.t2(c)*mask,lambda v:U.t1(v*mask),yu,N,rho=3.0,maxit=3000); xb=o.sparsa(U,mask,yu,3,600)
chk('ADM (rho=tau) == SpaRSA (tau)',o.rel_err(xa,xb),1e-5)
# volume CS: operators, masks, solutions against an independent solver, rows of zeros
from scipy.optimize import linprog
xh=rng.standard_normal((3,N//2))+1j*rng.standard_normal((3,N//2)); xh[:,0]=0
chk('half spectrum: A^H A = 1',abs(o.half_adjoint(o.half_forward(xh,N))-xh).max(),1e-12)
chk('half spectrum: adjoint (norm of spectra halved)',abs((o.half_forward(xh,N)*y).sum()/2-np.vdot(xh,o.half_adjoint(y)).real)/abs(np.vdot(xh,o.half_adjoint(y))),1e-12)
chk('SplitMix64 as in core/oct-mask.c',abs(o.splitmix_uniform(12,3)-[0.5791012,0.93946327,0.23473882]).max(),1e-7)
mg=o.mask_max_gap(250,.6,3,12); chk('max gap and count',abs(mg.sum()-150)+max(0,np.diff(np.flatnonzero(mg)).max()-4)+(not mg[0])+(not mg[-1]),0)
with np.errstate(all='raise',under='ignore'):
    rows=np.array([np.exp(-((np.arange(100)-c)/9)**2) for c in (20,50,70)]+[np.zeros(100)])
    ml=o.mask_max_gap(100,.5,4,5)
    for b in ('wavelet','wavelet-plain','fourier','cosine'):
        f,d=o.step_lateral(rows[:,ml],ml,b,tol=1e-9,maxit=1000,info=True); chk(f'lateral {b}: duality gap',d['gap'].max(),3e-3); chk(f'lateral {b}: data kept',abs(f[:,ml]-rows[:,ml]).max(),5e-4); chk(f'lateral {b}: row of zeros',abs(f[3]).max(),0)
        if b=='fourier': continue
        L=o.Lateral(100,b); kept=np.r_[ml,np.zeros(L.M-100,bool)]; Q=L.T[:,kept]
        for r,g in zip(rows[:3],f):
            s_=linprog(np.r_[L.w,L.w],A_eq=np.hstack([Q.T,-Q.T]),b_eq=r[ml],method='highs').x; chk(f'lateral {b}: linear programme',o.rel_err(g,((s_[:L.M]-s_[L.M:])@L.T)[:100]),5e-3)
    acq=o.mask_max_gap(8*16,.5,3,5).reshape(8,16); at=np.nonzero(acq)
    vol=np.random.default_rng(2).standard_normal((8,16,64)); vol=np.cumsum(np.cumsum(vol,0),1); mk=np.array([o.mask_uniform(64,.5,100+i) for i in range(16)])[(at[1]+7*at[0])%16]
    H=[]; o.joint_scans(vol[acq],mk,acq,1.0,(2,4),400,history=H); chk('joint: KKT residual',H[-1][1],1e-6)
    o.envelope_scans(vol*0,np.ones_like(vol),1.0)
print('ALL OK' if ok else 'SOME FAILED')
